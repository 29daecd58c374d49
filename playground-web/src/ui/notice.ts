// Messages over the page, which push nothing aside and stay until they are put away.

import { byId, element } from "@coopmat/shared/element";
import { icon } from "./icons";

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
    if (older.querySelector("span")?.textContent === text) older.remove();
  const notice = element("div", { className: "notice" }, icon("information"), element("span", {}, text));
  const buttons = answers.map(({ label, act }) => {
    const onclick = () => {
      notice.remove();
      act();
    };
    return element("button", { type: "button", onclick }, label);
  });
  if (buttons.length > 0) notice.append(element("div", { className: "answers" }, ...buttons));
  notice.append(
    element(
      "button",
      {
        type: "button",
        className: "quiet",
        title: "Close",
        ariaLabel: "Close this message",
        onclick: () => notice.remove(),
      },
      icon("close"),
    ),
  );
  holder.append(notice);
  // However much there is to tell, the page stays in view.
  while (holder.childElementCount > MOST) holder.firstElementChild?.remove();
  return () => notice.remove();
}
