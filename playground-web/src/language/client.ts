// The language client: CodeMirror's own, with what it has not got yet added beside it.

import {
  findReferencesKeymap,
  formatKeymap,
  jumpToDefinitionKeymap,
  LSPClient,
  renameKeymap,
  serverCompletion,
  signatureHelp,
} from "@codemirror/lsp-client";
import { keymap } from "@codemirror/view";
import type { Told } from "../project/choices";
import { clean } from "../ui/clean";
import { codeActions } from "./code-actions";
import type { Connection } from "./connection";
import { diagnostics, type Findings, type Handlers } from "./diagnostics";
import { hovers } from "./hover";
import { inlayHints } from "./inlay-hints";
import { outline } from "./outline";
import { semanticTokens } from "./semantic-tokens";
import { PlaygroundWorkspace, ROOT } from "./workspace";

export interface Language {
  client: LSPClient;
  workspace: PlaygroundWorkspace;
  /** Another server in the place of one that has stopped: it is told of all files. */
  restart(): Promise<void>;
  /** Hears what is in view of the open files, whenever that is something else. */
  onInView: (told: Told) => void;
  /** Hears of another server. */
  onRestart: () => void;
}

export async function start(
  connection: Connection,
  findings: Findings,
  handlers: Handlers,
): Promise<Language> {
  let workspace: PlaygroundWorkspace | undefined;
  let language: Language | undefined;
  const client = new LSPClient({
    rootUri: ROOT,
    timeout: 30_000,
    sanitizeHTML: clean,
    workspace: (client) => {
      workspace = new PlaygroundWorkspace(client);
      return workspace;
    },
    extensions: [
      serverCompletion(),
      hovers(),
      signatureHelp(),
      keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      diagnostics(findings, handlers),
      {
        clientCapabilities: { experimental: { "coopmat-analyzer": { inView: true } } },
        notificationHandlers: {
          "coopmat-analyzer/inView": (_, told: Told) => {
            language?.onInView(told);
            return true;
          },
        },
      },
      {
        clientCapabilities: {
          textDocument: {
            semanticTokens: {
              requests: { full: true },
              tokenTypes: [],
              tokenModifiers: [],
              formats: ["relative"],
              augmentsSyntaxTokens: false,
            },
            inlayHint: {},
            documentSymbol: { hierarchicalDocumentSymbolSupport: true },
            foldingRange: { lineFoldingOnly: true },
            codeAction: {
              codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } },
              isPreferredSupport: true,
              disabledSupport: true,
              dataSupport: true,
              resolveSupport: { properties: ["edit"] },
            },
          },
          // The rename of the client takes the plain form of edits alone.
          workspace: { workspaceEdit: { documentChanges: false } },
        },
        editorExtension: [semanticTokens(), inlayHints(), codeActions(findings), outline()],
      },
    ],
  });
  await connection.ready;
  client.connect(connection.transport);
  await client.initializing;
  if (!workspace) throw new Error("the language client made no workspace");
  const restart = async () => {
    client.disconnect();
    await connection.restart();
    client.connect(connection.transport);
    await client.initializing;
    language?.onRestart();
  };
  language = { client, workspace, restart, onInView: () => {}, onRestart: () => {} };
  return language;
}
