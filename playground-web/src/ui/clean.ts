// Makes HTML harmless. Hovers are rendered from the server's Markdown, which quotes the shader that a link may have brought: what is not of the
// few elements that documentation needs becomes text.

const ALLOWED = new Set(
  "A B BLOCKQUOTE BR CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR I LI OL P PRE S SPAN STRONG TABLE TBODY TD TH THEAD TR UL".split(
    " ",
  ),
);

/** The language of a block of code, and its colours: no class of the page's own, which could be laid over its controls. */
const CLASS = /^(language|tok)-[\w-]+$/;

/** Pages of the server's, which the documentation pane shows. */
export const PAGE = "coopmat-analyzer:";

export function clean(html: string): string {
  // A document of its own runs nothing and loads nothing.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const node of Array.from(body.querySelectorAll("*"))) {
    // A child of what became text already.
    if (!body.contains(node)) continue;
    if (!ALLOWED.has(node.tagName)) {
      node.replaceWith(node.outerHTML);
      continue;
    }
    for (const { name, value } of Array.from(node.attributes)) {
      const kept =
        (name === "href" && (value.startsWith("https://") || value.startsWith(PAGE))) ||
        (name === "class" && value.split(" ").every((one) => CLASS.test(one)));
      if (!kept) node.removeAttribute(name);
    }
    if (node.tagName === "A" && node.getAttribute("href")?.startsWith("https:")) {
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noopener noreferrer");
    }
  }
  return body.innerHTML;
}
