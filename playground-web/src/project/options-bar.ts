// The bar above the editor: the configuration of the shader in view, target, device, and options as compilers take them. What is set here is written into
// the project file, which holds it; what the file says is shown here.

import { element } from "@coopmat/shared/element";
import type { TomlEdit } from "@coopmat/shared/messages";
import { debounced } from "../language/debounce";
import type { Editor } from "../panes/editor";
import { isForeign } from "../recipe/names";
import { ask } from "../ui/dialog";
import { icon } from "../ui/icons";
import { pick } from "../ui/pick";
import type { Choices } from "./choices";
import {
  editsFor,
  type ProjectFile,
  parseOptions,
  readProjectFile,
  type Settings,
  TARGETS,
  writeOptions,
} from "./options";
import { PROJECT_FILE } from "./tabs";

const EMPTY: ProjectFile = { settings: { defines: [], include: [] }, table: {} };

const EXAMPLE = "-DA_TYPE=float16_t -I include";

const words = (error: unknown) => (error as { message?: string })?.message ?? String(error);

interface Parts {
  editor: Editor;
  choices: Choices;
  /** The text of a TOML file, changed. */
  edit(text: string, edit: TomlEdit): Promise<string>;
  devices(): Promise<{ name: string; title: string }[]>;
}

export class OptionsBar {
  readonly body = element("div", { className: "options-bar", role: "group", ariaLabel: "Options" });
  private readonly configuration = element("button", {
    type: "button",
    className: "configuration",
    title: "The configuration that the shader is looked at and run under",
    ariaHasPopup: "dialog",
    onclick: () => void this.chooseConfiguration(),
  });
  private readonly specialization = element("button", {
    type: "button",
    title: "The values of the shader's specialization constants",
    ariaHasPopup: "dialog",
    onclick: () => void this.chooseSpecialization(),
  });
  private readonly target = element("select", { ariaLabel: "Target", title: "The version of Vulkan" });
  private readonly device = element("select", {
    ariaLabel: "Device",
    title: "The device whose limits are checked, too",
  });
  private readonly options = element("input", {
    type: "text",
    className: "options",
    ariaLabel: "Compiler options",
    placeholder: EXAMPLE,
    title:
      "Macros, folders and other options of glslc and glslang, for all shaders of the project. Enter writes them into coopmat-analyzer.toml.",
    spellcheck: false,
    autocomplete: "off",
  });
  private readonly problem = element("p", { className: "problem", role: "alert", hidden: true });
  private readonly note = element("p", { className: "faint", hidden: true });
  /** What the file said when it was read last. */
  private read: { name: string; text: string; file: ProjectFile | undefined } | undefined;
  /** Changes go one after the other. */
  private last: Promise<void> = Promise.resolve();
  private readonly later = debounced(50, () => this.draw());

  constructor(private readonly parts: Parts) {
    const { editor, choices } = parts;
    this.target.append(
      element("option", { value: "" }, "Target: vulkan1.4"),
      ...TARGETS.map((value) => element("option", { value }, value)),
    );
    this.device.append(element("option", { value: "" }, "No device"));
    this.target.onchange = () => this.change((now) => with_(now, "targetEnv", this.target.value));
    this.device.onchange = () => this.change((now) => with_(now, "device", this.device.value));
    this.options.onchange = () => this.take();
    this.options.onkeydown = (event) => {
      if (event.key === "Escape") {
        this.read = undefined;
        this.draw();
      }
    };
    this.body.append(
      element(
        "div",
        { className: "options-row" },
        this.configuration,
        this.specialization,
        this.target,
        this.device,
        this.options,
      ),
      this.problem,
      this.note,
    );
    editor.onChange(() => this.later());
    choices.onChange(() => this.later());
    void parts.devices().then((devices) => {
      this.device.append(
        ...devices.map(({ name, title }) => element("option", { value: name, title }, name)),
      );
      this.read = undefined;
      this.draw();
    });
    this.draw();
  }

  /** Brings the options to the person: a note asks for them. */
  focus() {
    this.options.focus();
  }

  /** The project file that holds for the shader, or where there shall be one. */
  private get file(): string {
    const { editor } = this.parts;
    const shader = editor.shaderName;
    for (let at = shader.lastIndexOf("/"); ; at = shader.lastIndexOf("/", at - 1)) {
      const name = `${shader.slice(0, at + 1)}${PROJECT_FILE}`;
      if (editor.has(name) || at < 0) return name;
    }
  }

  private draw() {
    const { editor, choices } = this.parts;
    // Nothing of this reaches what the server does not compile.
    this.body.hidden = isForeign(editor.shaderName);
    const { inView } = choices;
    const count = inView?.configurations ?? 1;
    this.configuration.hidden = count < 2;
    unfolds(this.configuration, inView?.configuration || "default");
    this.configuration.ariaLabel = `Configuration ${inView?.configuration || "default"}, one of ${count}`;
    const values = inView?.specialization ?? inView?.values ?? "";
    this.specialization.hidden = values === "";
    unfolds(this.specialization, values);
    this.specialization.ariaLabel = `Specialization constants ${values}`;
    const name = this.file;
    const text = editor.has(name) ? editor.text(name) : "";
    if (this.read?.name === name && this.read.text === text) return;
    const file = editor.has(name) ? readProjectFile(text) : EMPTY;
    // Who types here is not disturbed by what is typed elsewhere.
    const shown = this.read?.file;
    this.read = { name, text, file };
    this.options.placeholder = file ? EXAMPLE : `${name} has a mistake`;
    this.tell(undefined);
    if (!file) {
      // The mistake itself stands in the file's tab.
      this.options.value = "";
      this.enable(false);
      return;
    }
    this.enable(!editor.locked);
    const { settings } = file;
    this.target.value = settings.targetEnv ?? "";
    this.offer(this.device, settings.device);
    this.device.value = settings.device ?? "";
    const written = writeOptions(settings);
    const before = shown ? writeOptions(shown.settings) : "";
    if (written !== before || document.activeElement !== this.options) this.options.value = written;
    this.remark(file);
  }

  private enable(on: boolean) {
    for (const control of [this.target, this.device, this.options]) control.disabled = !on;
  }

  /** A device that is no built-in profile stands in the list, too. */
  private offer(list: HTMLSelectElement, value: string | undefined) {
    if (value && !Array.from(list.options).some((one) => one.value === value))
      list.append(element("option", { value }, value));
  }

  /** Where entries of the file have settings of their own, those here do not reach them. */
  private remark({ settings, table }: ProjectFile) {
    const entries = (Array.isArray(table.shaders) ? table.shaders : []) as Record<string, unknown>[];
    const own = (key: string) =>
      entries.some((entry) => {
        const configurations = (Array.isArray(entry.configurations) ? entry.configurations : []) as Record<
          string,
          unknown
        >[];
        return [entry, ...configurations].some((one) => one[key] !== undefined);
      });
    const [targets, devices] = [own("target-env"), own("device")];
    name(this.target, targets ? "Target: as its entry says" : "Target: vulkan1.4");
    name(this.device, devices ? "Device: as its entry says" : "No device");
    const keys = [
      ...(settings.targetEnv && targets ? ["target-env"] : []),
      ...(settings.device && devices ? ["device"] : []),
    ];
    this.note.hidden = keys.length === 0;
    this.note.textContent = `Entries of ${this.file} that have a ${keys.join(" or a ")} of their own keep it.`;
  }

  private tell(problem: string | undefined) {
    this.problem.hidden = problem === undefined;
    this.problem.textContent = problem ?? "";
    this.options.ariaInvalid = String(problem !== undefined);
  }

  /** What was typed. */
  private take() {
    const { settings, errors } = parseOptions(this.options.value);
    if (errors.length > 0) {
      this.tell(errors.join(" "));
      return;
    }
    // The device has a list beside the field; one that is typed counts.
    this.change(
      (now) =>
        ({
          ...settings,
          ...((settings.device ?? now.device) && { device: settings.device ?? now.device }),
        }) as Settings,
    );
  }

  private change(next: (now: Settings) => Settings) {
    this.last = this.last.then(() => this.write(next)).catch((error: unknown) => this.tell(words(error)));
  }

  private async write(next: (now: Settings) => Settings) {
    const { editor, edit } = this.parts;
    if (editor.locked) return;
    const name = this.file;
    for (;;) {
      const before = editor.has(name) ? editor.text(name) : undefined;
      const file = before === undefined ? EMPTY : readProjectFile(before);
      if (!file) throw new Error(`${name} has a mistake: mend it first.`);
      let text = before ?? "";
      for (const one of editsFor(file, next(file.settings))) text = await edit(text, one);
      // Somebody may have typed meanwhile.
      if ((editor.has(name) ? editor.text(name) : undefined) !== before) continue;
      if (text !== (before ?? "")) editor.put(name, text);
      break;
    }
    this.read = undefined;
    this.draw();
  }

  private async chooseConfiguration() {
    const { choices } = this.parts;
    try {
      const list = await choices.configurations();
      const own = "the project file's own choice";
      const name = await pick({
        title: "Configuration",
        placeholder: "Find a name or a macro",
        current: list.inView,
        items: list.configurations.map((one) => ({
          value: one.name,
          label: one.name || "default",
          description: one.differs,
          ...(one.errors && { badge: { text: String(one.errors), kind: "error" as const } }),
        })),
        more: [{ label: `Back to ${own}`, act: () => void choices.chooseConfiguration(null) }],
      });
      if (name !== undefined) await choices.chooseConfiguration(name);
    } catch (error) {
      this.tell(words(error));
    }
  }

  private async chooseSpecialization() {
    const { choices } = this.parts;
    try {
      const { sets, recipe, constants, chosen } = await choices.specializations();
      const type = async () => {
        const now = constants.map((one) => `${one.name}=${one.value ?? one.default ?? 0}`).join(", ");
        const typed = await ask("Values of specialization constants", now, undefined, "Choose");
        if (typed !== undefined) await choices.chooseSpecialization(typed);
      };
      const refused = (error: unknown) => this.tell(words(error));
      const name = await pick({
        title: "Specialization constants",
        placeholder: "Find a set",
        current: chosen ?? undefined,
        items: [
          { value: "", label: "As the configuration has them" },
          ...(recipe
            ? [
                {
                  value: "recipe",
                  label: "As the recipe has them",
                  description: recipe.values ?? recipe.error ?? "",
                },
              ]
            : []),
          ...sets.map((set) => ({ value: set.name, label: set.name, description: set.values })),
        ],
        more: [{ label: "Other values …", act: () => void type().catch(refused) }],
      });
      if (name !== undefined) await choices.chooseSpecialization(name || null);
    } catch (error) {
      this.tell(words(error));
    }
  }
}

function unfolds(button: HTMLButtonElement, words: string) {
  if (button.textContent !== words) button.replaceChildren(element("span", {}, words), icon("down"));
}

/** What a list says where nothing is chosen. */
function name(list: HTMLSelectElement, words: string) {
  const [first] = list.options;
  if (first) first.textContent = words;
}

/** An empty value takes the setting out. */
function with_(now: Settings, key: "targetEnv" | "device", value: string): Settings {
  const { [key]: _, ...others } = now;
  return value ? { ...others, [key]: value } : others;
}
