// Debugging on the simulator: what F5 starts, and the adapter, which is the server's program. What steps and values are is the program's
// matter (`coopmat-analyzer dap`).

import * as vscode from "vscode";
import { programInView, type Session } from "./extension";
import { fileOf } from "./spirv/module";

/** The type of debug configurations. */
export const TYPE = "coopmat";

const RUN = "coopmat-analyzer.run";
const DEBUG = "coopmat-analyzer.debug";

export function registerDebugging(
  session: Session,
  command: (name: string, act: (...args: never[]) => unknown) => void,
) {
  const { host } = session;
  command("debug", (lens?: { uri: string } | vscode.Uri) => {
    const given = lens instanceof vscode.Uri ? lens : lens && vscode.Uri.parse(lens.uri);
    const shader = given ?? programInView()?.document.uri;
    return shader && debug(fileOf(shader));
  });
  const program = () => host.program?.(session.context);
  session.context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(TYPE, {
      resolveDebugConfiguration: (_folder, given) => {
        if (!program()) {
          void vscode.window.showErrorMessage(
            "Shaders are debugged by the native program, and there is none here: set coopmat-analyzer.server.path.",
          );
          return undefined;
        }
        return withDocuments(complete(given));
      },
    }),
    vscode.debug.registerDebugConfigurationProvider(
      TYPE,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of VS Code.
      { provideDebugConfigurations: () => [configurationOf("${file}")] },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: () => {
        const path = program();
        if (!path) throw new Error("no native program was found: set coopmat-analyzer.server.path");
        return new vscode.DebugAdapterExecutable(path, ["dap"]);
      },
    }),
  );
}

/** A configuration that stops where the shader begins. */
function configurationOf(program: string): vscode.DebugConfiguration {
  const name = program.startsWith("$") ? "the shader in view" : (program.split(/[\\/]/).pop() ?? program);
  return { type: TYPE, request: "launch", name: `Debug ${name}`, program, stopOnEntry: true };
}

/** The texts of `.spv` files are documents of the extension, in which breakpoints are set. */
const withDocuments = (configuration: vscode.DebugConfiguration | undefined) =>
  configuration && { ...configuration, moduleDocuments: true };

/** What is missing: F5 without launch.json gives nothing at all. */
function complete(given: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
  if (given.type && given.request) return given;
  const inView = recipeInView() ?? programInView()?.document.uri;
  const shader = inView && fileOf(inView);
  if (shader?.scheme !== "file") {
    void vscode.window.showErrorMessage(
      "Open the shader that is to be debugged, its recipe or a module (.spvasm).",
    );
    return undefined;
  }
  return { ...configurationOf(shader.fsPath), ...(given.noDebug && { noDebug: true }) };
}

function recipeInView(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.path.endsWith(".run.toml") ? uri : undefined;
}

/** Debugs a shader, or the shader of a recipe. */
async function debug(file: vscode.Uri) {
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === file.toString());
  // The program reads files.
  await document?.save();
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), configurationOf(file.fsPath));
}

/** Debugs a recipe as a test: whether all is as it is expected, once the session has ended; nothing where it did not begin. */
export async function debugTest(recipe: vscode.Uri): Promise<boolean | undefined> {
  let code: number | undefined;
  let id: string | undefined;
  const name = `Debug ${vscode.workspace.asRelativePath(recipe)}`;
  const tracker = vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
    createDebugAdapterTracker: (session) => {
      if (session.name !== name) return undefined;
      id = session.id;
      return {
        onDidSendMessage: (message: { event?: string; body?: { exitCode?: number } }) => {
          if (message.event === "exited") code = message.body?.exitCode;
        },
      };
    },
  });
  const ended = new Promise<void>((resolve) => {
    const listening = vscode.debug.onDidTerminateDebugSession((session) => {
      if (session.id !== id) return;
      listening.dispose();
      resolve();
    });
  });
  try {
    const folder = vscode.workspace.getWorkspaceFolder(recipe);
    const configuration = { ...configurationOf(recipe.fsPath), name, stopOnEntry: false };
    if (!(await vscode.debug.startDebugging(folder, configuration))) return undefined;
    await ended;
    return code === undefined ? undefined : code === 0;
  } finally {
    tracker.dispose();
  }
}

/** The lens "Debug" after each lens "Run". */
export function withDebug(
  session: Session,
  lenses: vscode.CodeLens[] | null | undefined,
): vscode.CodeLens[] | null | undefined {
  if (!session.program) return lenses;
  return lenses?.flatMap((lens) => {
    if (lens.command?.command !== RUN) return [lens];
    const command = { ...lens.command, title: "Debug", command: DEBUG };
    return [lens, new vscode.CodeLens(lens.range, command)];
  });
}
