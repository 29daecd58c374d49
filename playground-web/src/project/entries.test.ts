import { gzipSync, strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { ofArchive } from "./entries";

const all = () => true;
const paths = (name: string, bytes: Uint8Array) => ofArchive(name, bytes, all).map(({ path }) => path);

const LONG = `${"x".repeat(120)}.comp`;

/** An entry of a tar archive: a header, and the content in whole blocks. */
function block(name: string, kind: string, content: string): string {
  const field = (text: string, length: number) => text.padEnd(length, "\0").slice(0, length);
  const size = content.length.toString(8).padStart(11, "0");
  const head = field(name, 100) + field("", 24) + field(size, 12) + field("", 20) + kind + field("", 100);
  return field(`${head}ustar`, 512) + field(content, Math.ceil(content.length / 512) * 512);
}

const end = "\0".repeat(1024);
const short = block("./a.comp", "0", "void main() {}");
const path = `path=${LONG}\n`;
const TARS = {
  gnu: short + block("././@LongLink", "L", `${LONG}\0`) + block(LONG, "0", "") + end,
  pax: short + block("PaxHeader", "x", `${path.length + 4} ${path}`) + block(LONG, "0", "") + end,
};

test.each(Object.entries(TARS))("a tar archive as %s writes it gives its files", async (_, text) => {
  const bytes = strToU8(text);
  for (const [name, packed] of [
    ["a.tar", bytes],
    ["a.tar.gz", gzipSync(bytes)],
    ["a.tgz", gzipSync(bytes)],
  ] as const)
    expect(paths(name, packed)).toEqual(["a.comp", LONG]);
  const [first] = ofArchive("a.tar", bytes, all);
  expect(await first?.bytes()).toEqual(strToU8("void main() {}"));
});

test("a zip gives what is wanted of it", () => {
  const zip = zipSync({ "p/a.comp": strToU8("x"), "p/b.o": strToU8("y"), "p/.git/c.comp": strToU8("z") });
  const found = ofArchive("a.zip", zip, (path) => path.endsWith(".comp"));
  expect(found.map(({ path }) => path)).toEqual(["p/a.comp"]);
});

test.each([
  ["x.tar", strToU8("no archive".repeat(100)), "no tar archive"],
  ["x.tar", strToU8(TARS.gnu).subarray(0, 520), "damaged"],
  ["x.tar.gz", gzipSync(new Uint8Array(130 << 20)), "unpacks to more than"],
  ["x.zip", strToU8("no archive"), "no zip archive"],
  ["x.zip", zipSync({ "a.comp": new Uint8Array(65 << 20) }), "unpacks to more than 64 MiB"],
])("an archive that cannot be read says so: %s", (name, bytes, words) => {
  expect(() => paths(name, bytes)).toThrow(words);
});
