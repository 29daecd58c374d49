// Which configuration of the shader is in view, and which values its specialization constants have: as the server has it. What was chosen is kept with
// the project, and its runs go by it.

import type { Choice } from "@coopmat/shared/project/project";
import type { Language } from "../language/client";
import { uriOf } from "../language/workspace";
import type { Editor } from "../panes/editor";
import { notify } from "../ui/notice";

/** What the server says is in view of a document. */
export interface InView {
  uri: string;
  /** The shader that it is shown as part of. */
  root: string | null;
  configuration: string;
  /** How many there are. */
  configurations: number;
  device: string | null;
  specialization: string | null;
  /** `TM=64, TN=32` */
  values: string;
}

/** `coopmat-analyzer/inView`. */
export interface Told {
  documents: InView[];
  /** By path. */
  choices: { shaders?: Record<string, { configuration?: string; specialization?: string }> };
}

export interface Configurations {
  inView: string;
  configurations: {
    name: string;
    inView: boolean;
    differs: string;
    summary: string;
    errors: number | null;
    warnings: number | null;
  }[];
}

export interface Specializations {
  chosen: string | null;
  constants: { id: number; name: string; default: string | null; value: string | null }[];
  sets: { name: string; values: string }[];
  recipe: { values: string | null; error: string | null } | null;
}

const words = (error: unknown) => (error as { message?: string })?.message ?? String(error);

export class Choices {
  private told: InView[] = [];
  private chosen: Choice[] = [];
  /** Choices of a project that the server has not taken yet: what it tells meanwhile is not what is kept. */
  private restoring = 0;
  private before = "";
  private readonly listeners = new Set<() => void>();

  /** `keep` is called when something that is kept changed. */
  constructor(
    private readonly editor: Editor,
    private readonly language: Language,
    private readonly keep: () => void,
  ) {
    language.onInView = (told) => this.hear(told);
    language.onRestart = () => void this.restore(this.chosen, []);
    editor.chosen = (shader) => {
      const { configuration, specialization } = this.chosen.find((one) => one.shader === shader) ?? {};
      return { ...(configuration && { configuration }), ...(specialization && { specialization }) };
    };
    editor.onChange(() => this.look());
  }

  /** Hears when something else is in view. */
  onChange(listener: () => void) {
    this.listeners.add(listener);
  }

  /** What is kept with the project. */
  get kept(): { choices?: Choice[] } {
    return this.chosen.length > 0 ? { choices: this.chosen } : {};
  }

  /** What is in view of the shader. */
  get inView(): InView | undefined {
    const { uri } = this.editor;
    return this.told.find((one) => one.uri === uri);
  }

  /** Another project, with what was chosen in it. */
  async opened(choices: readonly Choice[]) {
    await this.restore(choices, this.chosen);
  }

  configurations(): Promise<Configurations> {
    return this.ask("configurations", { uri: this.editor.uri });
  }

  specializations(): Promise<Specializations> {
    return this.ask("specializations", { uri: this.editor.uri });
  }

  /** `null`: what the project file has in view. */
  async chooseConfiguration(name: string | null) {
    await this.ask("setConfiguration", { uri: this.editor.uri, name });
  }

  /** `null`: the values that the configuration gives. */
  async chooseSpecialization(name: string | null) {
    await this.ask("setSpecialization", { uri: this.editor.uri, name });
  }

  private ask<T>(what: string, params: object): Promise<T> {
    const { client } = this.language;
    client.sync();
    return client.request<object, T>(`coopmat-analyzer/${what}`, params);
  }

  private async restore(choices: readonly Choice[], before: readonly Choice[]) {
    this.restoring++;
    this.chosen = [...choices];
    const refused: string[] = [];
    const set = async (shader: string, what: "Configuration" | "Specialization", name: string | null) => {
      try {
        await this.ask(`set${what}`, { uri: uriOf(shader), name });
      } catch (error) {
        // One that is not there any more; what was chosen before is taken back without a word.
        if (name !== null) refused.push(`${shader}: ${words(error)}`);
      }
    };
    // Both at once: the server takes them in their order.
    const asked: Promise<void>[] = [];
    for (const { shader } of before) {
      const now = choices.find((one) => one.shader === shader);
      if (now?.configuration === undefined) asked.push(set(shader, "Configuration", null));
      if (now?.specialization === undefined) asked.push(set(shader, "Specialization", null));
    }
    for (const { shader, configuration, specialization } of choices) {
      if (configuration !== undefined) asked.push(set(shader, "Configuration", configuration));
      if (specialization !== undefined) asked.push(set(shader, "Specialization", specialization));
    }
    await Promise.all(asked);
    this.restoring--;
    if (refused.length > 0)
      notify(`Not chosen again, because the project has changed: ${refused.join("; ")}.`);
    this.tell();
  }

  private hear({ documents, choices }: Told) {
    this.told = documents;
    if (this.restoring === 0) {
      const kept = Object.entries(choices.shaders ?? {}).flatMap(([path, one]): Choice[] => {
        const shader = path.replace(/^\/playground\//, "");
        const { configuration, specialization } = one;
        if (configuration === undefined && specialization === undefined) return [];
        return [
          {
            shader,
            ...(configuration !== undefined && { configuration }),
            ...(specialization !== undefined && { specialization }),
          },
        ];
      });
      if (JSON.stringify(kept) !== JSON.stringify(this.chosen)) {
        this.chosen = kept;
        this.keep();
      }
    }
    this.tell();
  }

  /** Another shader may be in view. */
  private look() {
    const now = JSON.stringify(this.inView ?? null) + this.editor.shaderName;
    if (now === this.before) return;
    this.before = now;
    for (const listener of this.listeners) listener();
  }

  private tell() {
    const now = JSON.stringify(this.inView ?? null) + this.editor.shaderName;
    if (now === this.before) return;
    // Who shows what comes of the shader asks for it again.
    this.editor.touch();
  }
}
