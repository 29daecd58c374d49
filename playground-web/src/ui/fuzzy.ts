// Finds by some of the letters: each word that is typed comes in the text, letter by letter; where its letters stand together, and early, it fits better.

/** How well a word fits a text; nothing where it does not. Lower is better. */
export function closeness(word: string, text: string): number | undefined {
  const whole = text.indexOf(word);
  if (whole >= 0) {
    const starts = whole === 0 || /[^a-z0-9]/.test(text[whole - 1] ?? "");
    return (starts ? 0 : 10) + Math.min(whole, 9) / 10 + Math.min(text.length, 99) / 1000;
  }
  let at = -1;
  let gaps = 0;
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    gaps += next - at - 1;
    at = next;
  }
  return 100 + gaps + Math.min(text.length, 99) / 1000;
}

/** Those that fit every word, the best first; of what fits alike the order stays. `texts`: what counts more comes first; all but the first have to hold words as they are. */
export function rank<T>(items: readonly T[], typed: string, texts: (item: T) => string[]): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...items];
  const scored = items.flatMap((item) => {
    const [first = "", ...rest] = texts(item).map((text) => text.toLowerCase());
    let score = 0;
    for (const word of words) {
      const here = closeness(word, first);
      const there = rest.some((text) => text.includes(word)) ? 50 : undefined;
      const best = Math.min(here ?? Number.POSITIVE_INFINITY, there ?? Number.POSITIVE_INFINITY);
      if (!Number.isFinite(best)) return [];
      score += best;
    }
    return [{ item, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ item }) => item);
}
