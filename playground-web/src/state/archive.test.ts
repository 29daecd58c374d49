import { LIMITS, type Project } from "@coopmat/shared/project/project";
import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { MANIFEST, pack, unpack } from "./archive";

const project: Project = {
  files: [
    { name: "a.comp", text: "void main() {}\n// Größe\n" },
    { name: "lib/b.glsl", text: "" },
  ],
  active: "lib/b.glsl",
  options: { device: "nvidia-h200" },
};

describe("an archive", () => {
  test("carries a project there and back", () => {
    expect(unpack(pack(project))).toEqual({ project, left: [] });
  });

  test("that another program made opens without the folder around all", () => {
    const zip = zipSync({ "shaders/x.comp": strToU8("void main() {}"), "shaders/lib/y.glsl": strToU8("") });
    expect(unpack(zip).project.files.map(({ name }) => name)).toEqual(["x.comp", "lib/y.glsl"]);
  });

  test("may hold what is no text, which recipes read", () => {
    const bytes = new Uint8Array([0x93, 0xff, 0]);
    const zip = zipSync({ "x.comp": strToU8("void main() {}"), "data.npy": bytes });
    const { project, left } = unpack(zip);
    expect(project.files).toHaveLength(1);
    expect(project.options.data).toEqual([{ name: "data.npy", base64: "k/8A" }]);
    expect(left).toEqual([]);
    expect(unpack(pack(project)).project).toEqual(project);
    expect(unzipSync(pack(project))["data.npy"]).toEqual(bytes);
  });

  test("keeps a file that has the name of its own list", () => {
    const files = [
      { name: "a.comp", text: "void main() {}" },
      { name: MANIFEST, text: '{"mine": 1}' },
    ];
    const own: Project = { files, active: MANIFEST, options: {} };
    expect(unpack(pack(own))).toEqual({ project: own, left: [] });
    const foreign = unpack(zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)]))));
    expect(foreign.project.files).toEqual(files);
  });

  test("leaves out data that is too large", () => {
    const { project, left } = unpack(
      zipSync({ "x.comp": strToU8("void main() {}"), "big.bin": new Uint8Array(LIMITS.data) }),
    );
    expect(project.options).toEqual({});
    expect(left).toEqual(["big.bin"]);
  });

  test.each([
    ["that is none", strToU8("not a zip"), "no zip"],
    ["that is empty", zipSync({}), "no zip"],
    ["cut short", pack(project).subarray(0, 60), "no zip"],
    ["with a path that leaves the page", zipSync({ "../../x": strToU8("a") }), "no files"],
    [
      "of a newer version",
      zipSync({ a: strToU8(""), [MANIFEST]: strToU8('{"version":9}') }),
      "newer version",
    ],
    ["that unpacks to far too much", zipSync({ a: new Uint8Array(64 << 20) }), "8 MiB"],
    [
      "of very many files",
      zipSync(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, strToU8("x")]))),
      "more than",
    ],
  ])("%s says what is wrong", (_, bytes, words) => {
    expect(() => unpack(bytes)).toThrow(words);
  });

  test("whose sizes lie is counted by what comes out", () => {
    const zip = zipSync({ a: new Uint8Array(LIMITS.text * 4) });
    // The size before compression, in the entry's header and in the directory's.
    for (const at of [22, zip.length - 22 - 47 + 24]) zip.set([1, 0, 0, 0], at);
    expect(() => unpack(zip)).toThrow("8 MiB");
  });
});
