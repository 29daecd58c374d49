// Copies a text, and says on the button for a moment whether that worked.

/** `refused`: selects the text for the person, where the browser does not let the page copy it. */
export async function copyFrom(button: HTMLButtonElement, text: () => string, refused: () => void) {
  const usual = button.dataset.usual ?? button.textContent ?? "";
  button.dataset.usual = usual;
  try {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
  } catch {
    refused();
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = usual;
  }, 2000);
}
