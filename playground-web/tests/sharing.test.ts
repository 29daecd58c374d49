// Whom a link reaches: on this machine's own host Share says that nobody else can open it, and has the same link to the public page; a link made at
// one host and path opens at any other.

import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { publicAddress } from "@coopmat/shared/address";
import { encode } from "@coopmat/shared/project/share";
import { serveBelow } from "@coopmat/shared/testing/static";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const DIST = new URL("../dist/", import.meta.url);
const PROJECT = encode({
  files: [{ name: "own.comp", text: "#version 460\n// from a link\nvoid main() {}\n" }],
  active: "own.comp",
  options: {},
});

const field = (visitor: Visitor, name: string) => visitor.page.locator(`.${name}`).inputValue();

describe("on this machine's own host", () => {
  test("Share says so, and has the same link to the public page", async () => {
    const visitor = await Visitor.arrive(PROJECT);
    await visitor.page.locator("#share").click();
    await visitor.page.locator(".share-reach", { hasText: "on this machine only" }).waitFor();
    const [here, there] = [await field(visitor, "share-link"), await field(visitor, "share-public-link")];
    expect(there).toBe(publicAddress() + new URL(here).hash);
    await visitor.picture("share-on-this-machine");
    await visitor.leave();
  });

  test("what embeds the files leads to the public page, unless this one is chosen", async () => {
    const visitor = await Visitor.arrive(PROJECT);
    await visitor.page.locator("#share").click();
    expect(await field(visitor, "share-embed")).toContain(`src="${publicAddress()}?embed=1`);
    await visitor.page.getByLabel("Page", { exact: true }).selectOption("this page");
    const { origin } = new URL(visitor.page.url());
    expect(await field(visitor, "share-embed")).toContain(`src="${origin}/?embed=1`);
    await visitor.leave();
  });
});

test("a link opens at another host and path", async () => {
  const visitor = await Visitor.arrive(PROJECT);
  await visitor.page.locator("#share").click();
  const { hash } = new URL(await field(visitor, "share-link"));
  await visitor.leave();
  const server = await serveBelow("/some/where/else/", DIST);
  const reader = await Visitor.arrive(server.address + hash, undefined, { home: server.address });
  await expect.poll(() => reader.editor.textContent()).toContain("// from a link");
  await reader.page.locator("#share").click();
  expect(await field(reader, "share-link")).toContain(`${server.address}#p=`);
  await reader.leave();
  server.stop();
});

test("at a public host the link is for everyone, and nothing is said of another one", async () => {
  const home = "https://pages.example/playground/";
  const visitor = await Visitor.blank(undefined, { home });
  await visitor.page.route("https://pages.example/**", async (route) => {
    const name = new URL(route.request().url()).pathname.replace(/^\/playground\//, "") || "index.html";
    // Scripts and modules are taken by what they are called.
    const contentType = { ".js": "text/javascript", ".wasm": "application/wasm" }[extname(name)];
    const body = readFileSync(new URL(name, DIST));
    await route.fulfill({ body, ...(contentType && { contentType }) });
  });
  await visitor.page.goto(home + PROJECT);
  await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
  await visitor.page.locator("#share").click();
  expect(await field(visitor, "share-link")).toContain(`${home}#p=`);
  expect(await visitor.page.locator(".share-reach").count()).toBe(0);
  expect(await field(visitor, "share-embed")).toContain(`src="${home}?embed=1`);
  await visitor.leave();
});
