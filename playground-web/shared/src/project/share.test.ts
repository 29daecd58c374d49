import { deflateSync, strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import type { Project } from "./project";
import { decode, encode } from "./share";

const project: Project = {
  files: [
    { name: "a.comp", text: "void main() {}\n// Größe\n" },
    { name: "lib/b.glsl", text: "" },
  ],
  active: "lib/b.glsl",
  options: { device: "nvidia-h200", vim: true },
};

const link = (value: unknown) => {
  const bytes = deflateSync(strToU8(typeof value === "string" ? value : JSON.stringify(value)));
  return `#p=1${btoa(String.fromCharCode(...bytes))}`;
};

describe("a link", () => {
  test("carries a project there and back", () => {
    expect(decode(encode(project))).toEqual(project);
  });

  test("without a project is no mistake", () => {
    expect(decode("")).toBeUndefined();
    expect(decode("#section")).toBeUndefined();
  });

  test.each([
    ["cut short", encode(project).slice(0, 40), "damaged"],
    ["not base64", "#p=1!!!", "damaged"],
    ["not JSON", link("{"), "damaged"],
    ["of another form", "#p=9abc", "another version"],
    ["without files", link({ files: [] }), "no files"],
    ["with a path that leaves the page", link({ files: [{ name: "../x", text: "" }] }), "cannot be the name"],
    [
      "with a name that no address can hold",
      link({ files: [{ name: "a\ud800", text: "" }] }),
      "cannot be the name",
    ],
    ["with a line in a name", link({ files: [{ name: "a\nb", text: "" }] }), "cannot be the name"],
    [
      "with two files of one name",
      link({
        files: [
          { name: "a", text: "" },
          { name: "a", text: "" },
        ],
      }),
      "two files",
    ],
    ["with a text that is none", link({ files: [{ name: "a", text: 1 }] }), "lacks its name or its text"],
    ["that unpacks to far too much", link(`"${"a".repeat(17 << 20)}"`), "more than a project"],
  ])("%s says what is wrong", (_, hash, words) => {
    expect(() => decode(hash)).toThrow(words);
  });

  test.each(["A", "AAAAA", "A===", "AAA==", "AA=", "a b"])(
    "with data that is none, %s, leaves it out",
    (base64) => {
      const files = [{ name: "a", text: "" }];
      const data = [
        { name: "bad.npy", base64 },
        { name: "good.npy", base64: "k/8A" },
        { name: "short.npy", base64: "k/8=" },
      ];
      expect(decode(link({ files, options: { data } }))?.options.data).toEqual(data.slice(1));
    },
  );

  test("may carry a module in words alone, which is in view; other data alone is no project", () => {
    const module = { name: "a.spv", base64: "AwIjBw==" };
    const { active } = decode(link({ files: [], options: { data: [module] } })) ?? {};
    expect(active).toBe("a.spv");
    const other = link({ files: [], options: { data: [{ name: "a.npy", base64: "k/8=" }] } });
    expect(() => decode(other)).toThrow("no files");
  });

  test("to a file that is not there shows the first one", () => {
    expect(decode(link({ files: [{ name: "a", text: "" }], active: "b" }))?.active).toBe("a");
  });
});
