// What a person does about a diagnostic in this page, where the server's words speak of another place.

import type { Diagnostic } from "vscode-languageserver-types";

/** `analysis/diagnostics/missing-configuration.md`. */
const MISSING = "missing-configuration";

const DO =
  "Say what it needs in the options above the editor (-DA_TYPE=float -I include), or drop its folder or the log of its build on this page.";

/** The same diagnostic, with what to do in the page. */
export function advised(found: Diagnostic): Diagnostic {
  if (found.code !== MISSING || typeof found.message !== "string") return found;
  // What it lacks stands before the colon, what to do elsewhere behind it.
  const [what = ""] = found.message.split(/:\s+set up /i);
  return { ...found, message: `${what.replace(/\.$/, "")}. ${DO}` };
}
