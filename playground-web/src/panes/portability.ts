// Which devices accept the shader: a row for each profile, with the operation that stops it.

import { element } from "@coopmat/shared/element";
import type { Range } from "vscode-languageserver-types";
import type { Language } from "../language/client";
import { debounced } from "../language/debounce";
import { uriOf } from "../language/workspace";
import { isForeign } from "../recipe/names";
import type { Editor } from "./editor";
import type { Pane } from "./panes";

interface Stop {
  code: string;
  message: string;
  nearest: string | null;
  defaults: string[];
  path: string;
  place: string;
  range: Range;
}

interface Row {
  device: string;
  title: string;
  verdict: "accepts" | "unknown" | "rejects-defaults" | "rejects";
  stops: Stop[];
  conditions: string[];
  unknown: string[];
  defaults: string[];
}

const VERDICTS: Record<Row["verdict"], string> = {
  accepts: "✓ accepts",
  unknown: "? unknown",
  "rejects-defaults": "✗ rejects the defaults",
  rejects: "✗ rejects",
};
const CLASSES: Record<Row["verdict"], string> = {
  accepts: "good",
  unknown: "warning",
  "rejects-defaults": "warning",
  rejects: "bad",
};
/** Stops that a row names before the rest is unfolded. */
const NAMED = 2;
const FOLDER = "/playground/";

export class PortabilityPane implements Pane {
  readonly id = "portability";
  readonly title = "Portability";
  readonly body = element("div", { className: "portability" });
  private asked = 0;
  private readonly refresh = debounced(150, () => void this.request());

  constructor(
    private readonly editor: Editor,
    private readonly language: Language,
    /** Checks the shader against a device. */
    private readonly choose: (device: string) => void,
  ) {
    editor.onChange(() => !this.body.hidden && this.refresh());
  }

  shown() {
    this.refresh();
  }

  private async request() {
    const number = ++this.asked;
    if (isForeign(this.editor.shaderName)) {
      const words =
        "Which devices accept a module, or a shader in WGSL, is not known here: shaders in GLSL are compared with the profiles.";
      this.body.replaceChildren(element("p", {}, words));
      return;
    }
    const { client } = this.language;
    client.sync();
    const params = { textDocument: { uri: this.editor.uri } };
    try {
      const { summary, rows } = await client.request<typeof params, { summary: string; rows: Row[] }>(
        "coopmat-analyzer/portability",
        params,
      );
      // Somebody asked again meanwhile.
      if (number === this.asked) this.show(summary, rows);
    } catch (error) {
      if (number !== this.asked) return;
      const reason = (error as { message?: string }).message ?? String(error);
      this.body.replaceChildren(element("p", {}, reason));
    }
  }

  private show(summary: string, rows: Row[]) {
    const named = rows.map(({ defaults }) => [...defaults].sort().join(", "));
    const everywhere = named[0] !== "" && named.every((one) => one === named[0] || one === "");
    const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${everywhere ? ` With the defaults of ${named[0]}.` : ""}`;
    const list = rows.map((row) =>
      element(
        "tr",
        {},
        element(
          "th",
          { scope: "row" },
          element(
            "button",
            {
              type: "button",
              className: "link",
              title: "Use this profile for the run's checks",
              onclick: () => this.choose(row.device),
            },
            row.device,
          ),
          element("div", { className: "faint" }, row.title),
        ),
        element("td", { className: `device-verdict ${CLASSES[row.verdict]}` }, VERDICTS[row.verdict]),
        element("td", {}, ...this.reasons(row, !everywhere)),
      ),
    );
    this.body.replaceChildren(
      element("p", { className: "sentence" }, sentence),
      element(
        "table",
        { className: "devices" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...["Device", "Verdict", "Why"].map((title) => element("th", { scope: "col" }, title)),
          ),
        ),
        element("tbody", {}, ...list),
      ),
    );
  }

  private reasons({ stops, conditions, unknown, defaults }: Row, withDefaults: boolean): Node[] {
    const stop = (one: Stop) => {
      const name = one.path.startsWith(FOLDER) ? one.path.slice(FOLDER.length) : one.path;
      const { line, character } = one.range.start;
      return element(
        "p",
        {},
        element(
          "button",
          { type: "button", className: "link", onclick: () => this.editor.go(uriOf(name), line, character) },
          `${name}:${line + 1}`,
        ),
        ` ${one.message}`,
        ...(one.nearest ? [element("span", { className: "faint" }, ` Nearest: ${one.nearest}.`)] : []),
      );
    };
    const nodes: Node[] = stops.slice(0, NAMED).map(stop);
    if (stops.length > NAMED)
      nodes.push(
        element(
          "details",
          {},
          element("summary", {}, `${stops.length - NAMED} more`),
          ...stops.slice(NAMED).map(stop),
        ),
      );
    for (const words of conditions) nodes.push(element("p", {}, words));
    for (const words of unknown) nodes.push(element("p", { className: "faint" }, `Unknown: ${words}`));
    if (withDefaults && defaults.length > 0)
      nodes.push(element("p", { className: "faint" }, `With the defaults of ${defaults.join(", ")}.`));
    return nodes;
  }
}
