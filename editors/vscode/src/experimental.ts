// What the client says of itself under `experimental`, beyond the protocol.

import type { BaseLanguageClient } from "vscode-languageclient";

/** Before the client starts. */
export function claims(client: BaseLanguageClient, more: Record<string, boolean>) {
  client.registerFeature({
    fillClientCapabilities: (capabilities) => {
      const known = capabilities.experimental?.["coopmat-analyzer"];
      capabilities.experimental = {
        ...capabilities.experimental,
        "coopmat-analyzer": { ...known, ...more },
      };
    },
    initialize: () => {},
    getState: () => ({ kind: "static" }),
    clear: () => {},
  });
}
