// Draws the icons of index.html while the page is built, so that its first paint has them: `<!--icon run-->` becomes the drawing.

import type { Plugin } from "vite";
import { DRAWINGS, type IconName } from "../src/ui/icons.ts";

const drawing = (name: string) => {
  if (!Object.hasOwn(DRAWINGS, name))
    throw new Error(`index.html asks for an icon ${name}, and src/ui/icons.ts has none`);
  const shapes = DRAWINGS[name as IconName].map(([tag, attributes]) => {
    const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
    return `<${tag}${written.join("")}/>`;
  });
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" data-icon="${name}">${shapes.join("")}</svg>`;
};

export function icons(): Plugin {
  return {
    name: "icons",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => html.replace(/<!--\s*icon ([\w-]+)\s*-->/g, (_, name: string) => drawing(name)),
    },
  };
}
