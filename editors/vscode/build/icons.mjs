// The buttons above a module: each drawn for light and dark themes, and on a plate while it is on. And what stands beside the names of files.

const SHAPES = {
  // A flash.
  optimise: "M9 1 3.5 9H7l-1 6 6.5-8.5H9z",
  // An equals sign: constants have values.
  specialize: "M3 4.5h10v2.5H3zM3 9h10v2.5H3z",
  // A comment.
  source: "M6 2h2.2L4.7 14H2.5zM11.3 2h2.2L10 14H7.8z",
};

/** A module: lines of instructions behind their results. */
const FILE = "M1 3h3v2H1zM6 3h9v2H6zM1 7h3v2H1zM6 7h6v2H6zM1 11h3v2H1zM6 11h8v2H6z";

const COLOURS = { light: "#424242", dark: "#c5c5c5" };
const PLATES = { light: "#005fb8", dark: "#0078d4" };

const draw = (shape, colour, plate) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">` +
  (plate ? `<rect width="16" height="16" rx="3" fill="${plate}"/>` : "") +
  `<path d="${shape}" fill="${colour}"/></svg>\n`;

/** Names of files and what is in them. */
export function icons() {
  const buttons = Object.entries(SHAPES).flatMap(([name, shape]) =>
    Object.entries(COLOURS).flatMap(([theme, colour]) => [
      [`${name}-${theme}.svg`, draw(shape, colour)],
      [`${name}-on-${theme}.svg`, draw(shape, "#ffffff", PLATES[theme])],
    ]),
  );
  const files = Object.entries(COLOURS).map(([theme, colour]) => [`spirv-${theme}.svg`, draw(FILE, colour)]);
  return [...buttons, ...files];
}
