import { strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import type { Entry } from "./entries";
import { gather, leftInWords } from "./gather";
import { missing, projectFileFor, settle } from "./places";

const entries = (files: Record<string, string | Uint8Array>): Entry[] =>
  Object.entries(files).map(([path, content]) => {
    const bytes = typeof content === "string" ? strToU8(content) : content;
    return { path, size: bytes.length, bytes: async () => bytes };
  });

const names = (files: { name: string }[]) => files.map(({ name }) => name).sort();

describe("a folder", () => {
  test("gives its shaders and what they include, however far", async () => {
    const { files, left } = await gather(
      entries({
        "p/shaders/a.comp": '#include "common.h"\nvoid main() {}',
        "p/include/common.h": "#include <deep.inc>",
        "p/include/deep.inc": "",
        "p/src/main.cpp": "int main() {}",
        "p/src/main.h": "",
        "p/README.md": "",
      }),
      false,
    );
    expect(names(files)).toEqual(["include/common.h", "include/deep.inc", "shaders/a.comp"]);
    expect(leftInWords(left)).toBe(
      " Left out: 2 files of other kinds (main.cpp, README.md); 1 file that no shader includes (main.h).",
    );
  });

  test("gives recipes with their data, and project files with what they import", async () => {
    const { files, data, logs } = await gather(
      entries({
        "p/a.comp": "void main() {}",
        "p/a.run.toml": 'buffers = [{ name = "a", file = "in.npy" }]',
        "p/in.npy": new Uint8Array([0x93, 0xff, 0]),
        "p/other.npy": new Uint8Array([1]),
        "p/coopmat-analyzer.toml": 'import = ["build.log"]',
        "p/build.log": "glslc a.comp",
        "p/Cargo.toml": "",
      }),
      false,
    );
    expect(names(files)).toEqual(["a.comp", "a.run.toml", "build.log", "coopmat-analyzer.toml"]);
    expect(names(data)).toEqual(["in.npy"]);
    expect(logs).toEqual(["build.log"]);
  });

  test("gives modules with the data of their recipes, words as data", async () => {
    const { files, data, left } = await gather(
      entries({
        "p/dispatch-1.run.toml": 'shader = "dispatch-1.spv"\nfill = { file = "dispatch-1.a.bin" }',
        "p/dispatch-1.spv": new Uint8Array([0x03, 0x02, 0x23, 0x07]),
        "p/dispatch-1.a.bin": new Uint8Array([0, 1]),
        "p/a.spvasm": "OpCapability Shader",
        "p/a.wgsl": "fn f() {}",
        "p/no.spv": "OpCapability Shader",
      }),
      false,
    );
    expect(names(files)).toEqual(["a.spvasm", "a.wgsl", "dispatch-1.run.toml"]);
    expect(names(data)).toEqual(["dispatch-1.a.bin", "dispatch-1.spv"]);
    expect(leftInWords(left)).toBe(" Left out: 1 file without the first word of a SPIR-V module (no.spv).");
  });

  test("of a hostile machine gives what a page can hold", async () => {
    const { files, left } = await gather(
      entries({
        "p/../../a.comp": "x",
        "p/b.comp": new Uint8Array([0, 1, 2]),
        "p/c.comp": new Uint8Array(2 << 20),
        "p/d.comp": "void main() {}",
      }),
      false,
    );
    expect(names(files)).toEqual(["d.comp"]);
    expect(left.map(({ why }) => why).sort()).toEqual([
      "larger than 1 MiB",
      "no text",
      "with a name that a file of this page cannot have",
    ]);
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`p/${index}.comp`, "x"]));
    const gathered = await gather(entries(many), false);
    expect(gathered.files).toHaveLength(1000);
    expect(gathered.left[0]?.names).toHaveLength(100);
  });

  test("a log that is picked by itself may have any name, and be PowerShell's", async () => {
    const text = "glslc -DN=1 a.comp";
    const utf16 = new Uint8Array([0xff, 0xfe, ...Array.from(text).flatMap((one) => [one.charCodeAt(0), 0])]);
    const { files, logs } = await gather(entries({ "output.txt": utf16 }), true);
    expect(files).toEqual([{ name: "output.txt", text }]);
    expect(logs).toEqual(["output.txt"]);
  });
});

describe("paths of another machine", () => {
  const project = (glob: string) => ({
    name: "coopmat-analyzer.toml",
    text: `[[shaders]]\nfiles = ["${glob}"]\n`,
  });

  test("a project file that lay above the folder puts its shaders where it has them", () => {
    const shader = { name: "shaders/a.comp", text: "" };
    const { files, moved } = settle([project("/src/vulkan/shaders/a.comp"), shader]);
    expect(moved).toBe("src/vulkan");
    expect(names(files)).toEqual(["coopmat-analyzer.toml", "src/vulkan/shaders/a.comp"]);
  });

  test("what lies where the project file has it stays", () => {
    for (const glob of ["/shaders/a.comp", "*.comp", "shaders/**"])
      expect(settle([project(glob), { name: "shaders/a.comp", text: "" }]).moved).toBeUndefined();
  });

  test("shaders that a log compiles and that are not there are named", () => {
    const log = 'glslc -I/x /home/x/a.comp -o a.spv\n\'C:\\p\\b.comp\' {"file":"c.comp"}';
    expect(missing(log, ["sub/a.comp"])).toEqual(["b.comp", "c.comp"]);
  });

  test("a log belongs to the nearest project file up from it", () => {
    expect(projectFileFor("a/b/x.log", ["a/coopmat-analyzer.toml"])).toBe("a/coopmat-analyzer.toml");
    expect(projectFileFor("a/b/x.log", [])).toBe("coopmat-analyzer.toml");
  });
});
