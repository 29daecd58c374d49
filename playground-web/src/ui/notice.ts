// Messages under the header, which stay until they are put away.

import { byId, element } from "@coopmat/shared/element";

export interface Answer {
  label: string;
  act(): void;
}

/** Messages at a time. */
const MOST = 4;

/** Shows a message with what can be done about it; answers with what puts it away. The same words again take the place of the older ones. */
export function notify(text: string, ...answers: Answer[]): () => void {
  const holder = byId("notice", HTMLElement);
  for (const older of Array.from(holder.children))
    if (older.firstElementChild?.textContent === text) older.remove();
  const notice = element("p", { className: "notice" }, element("span", {}, text));
  for (const { label, act } of answers) {
    const onclick = () => {
      notice.remove();
      act();
    };
    notice.append(element("button", { type: "button", onclick }, label));
  }
  const close = element("button", {
    type: "button",
    className: "quiet",
    title: "Close",
    ariaLabel: "Close this message",
    onclick: () => notice.remove(),
  });
  close.textContent = "×";
  notice.append(close);
  holder.append(notice);
  // However much there is to tell, the page stays in view.
  while (holder.childElementCount > MOST) holder.firstElementChild?.remove();
  return () => notice.remove();
}
