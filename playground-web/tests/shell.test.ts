// What is around the panes: sharing, archives, embedding, working without a network.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveBelow } from "@coopmat/shared/testing/static";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, describe, expect, inject, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const DIST = new URL("../dist/", import.meta.url);
const SHADER = "#version 460\n// from a link\nvoid main() {}\n";

async function linkTo(text: string): Promise<string> {
  const visitor = await Visitor.arrive();
  await visitor.write(text);
  await visitor.page.locator("#share").click();
  const address = await visitor.page.locator(".share-link").inputValue();
  await visitor.picture("share");
  await visitor.page.keyboard.press("Escape");
  await visitor.leave();
  return address;
}

describe("a link", () => {
  test("leaves a person's own files in reach", async () => {
    const address = await linkTo(SHADER);
    const visitor = await Visitor.arrive();
    await visitor.write("#version 460\n// my own\nvoid main() {}\n");
    await expect.poll(() => visitor.text()).toContain("// my own");
    // In the same browser: the address of an open page changes.
    await visitor.page.goto(address);
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    // Looking at it keeps nothing.
    expect(await visitor.text()).toContain("// my own");
    await visitor.page.getByRole("button", { name: "Back to my files" }).click();
    await expect.poll(() => visitor.editor.textContent()).toContain("// my own");
    expect(visitor.page.url()).not.toContain("#");
    await visitor.leave();
  });

  test("is no longer in the address once its files are changed, and a reload keeps the changes", async () => {
    const visitor = await Visitor.arrive(await linkTo(SHADER));
    await visitor.put("from a link");
    await visitor.page.keyboard.type(" and changed");
    await expect.poll(() => visitor.page.url()).not.toContain("#");
    await visitor.page.reload();
    await expect.poll(() => visitor.editor.textContent()).toContain("from a link and changed");
    await visitor.leave();
  });

  test("that is put into the address of an open page stays there", async () => {
    const address = await linkTo(SHADER);
    const visitor = await Visitor.arrive();
    const { hash } = new URL(address);
    await visitor.page.evaluate((hash) => {
      location.hash = hash;
    }, hash);
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.page.reload();
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.leave();
  });

  test("that is broken in an open page says so", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.page.evaluate(() => {
      location.hash = "#p=1!!";
    });
    await visitor.page.locator("#notice", { hasText: "damaged" }).waitFor();
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.leave();
  });
});

test("two tabs keep their own files, and each finds those of the other", async () => {
  const visitor = await Visitor.arrive();
  await visitor.write("#version 460\n// of the first tab\nvoid main() {}\n");
  await expect.poll(() => visitor.text()).toContain("// of the first tab");
  const second = await visitor.context.newPage();
  await second.goto(inject("address"));
  const editor = second.locator("#editor .cm-content");
  await editor.filter({ hasText: "// of the first tab" }).waitFor();
  await editor.click();
  await second.keyboard.press("ControlOrMeta+a");
  await second.keyboard.insertText("#version 460\n// of the second tab\nvoid main() {}\n");
  await visitor.page.locator("#notice", { hasText: "open in another tab" }).waitFor();
  await visitor.page.reload();
  await expect.poll(() => visitor.editor.textContent()).toContain("// of the first tab");
  await second.reload();
  await expect.poll(() => editor.textContent()).toContain("// of the second tab");
  await visitor.page.locator("#share").click();
  await visitor.page.getByRole("button", { name: "gemm.comp of another tab" }).first().click();
  await expect.poll(() => visitor.editor.textContent()).toContain("// of the second tab");
  await visitor.leave();
});

test("a link that would be too long says what it leaves out", async () => {
  const visitor = await Visitor.arrive();
  // What does not compress.
  const noise = Array.from({ length: 2_600_000 }, (_, at) =>
    String.fromCharCode(33 + ((at * 7919 + (at >> 3) * 104729) % 89)),
  );
  for (let at = noise.length - 1; at > 0; at--) {
    const other = Math.floor(Math.abs(Math.sin(at) * 1e6) % at);
    [noise[at], noise[other]] = [noise[other] ?? "", noise[at] ?? ""];
  }
  await visitor.page.locator("#share").click();
  await visitor.page.locator("dialog input[type=file]").setInputFiles({
    name: "noise.glsl",
    mimeType: "text/plain",
    buffer: Buffer.from(noise.join("")),
  });
  await visitor.page.getByRole("tab", { name: "noise.glsl" }).waitFor();
  await visitor.page.locator("#share").click();
  await visitor.page.locator("dialog .problem", { hasText: "too large for a link" }).waitFor();
  await visitor.leave();
});

test("ten megabytes that are pasted are told to be too much, and the page goes on", async () => {
  const visitor = await Visitor.arrive();
  await visitor.opened("gemm.comp");
  await visitor.editor.click();
  await visitor.page.keyboard.press("ControlOrMeta+a");
  await visitor.editor.evaluate((editor) => {
    const line = "void f() { int x = 1 + 2 * 3; x = x + 1; }\n";
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", `#version 460\n${line.repeat((10 << 20) / line.length)}`);
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await visitor.pane("Problems");
  await visitor.page.locator(".problems", { hasText: "larger than 8 MiB" }).waitFor();
  await visitor.page.locator("#notice", { hasText: "more than this browser keeps" }).waitFor();
  await visitor.page.locator("#share").click();
  await visitor.page.locator("dialog .problem", { hasText: "too large for a link" }).waitFor();
  await visitor.page.keyboard.press("Escape");
  await visitor.write(SHADER);
  await visitor.opened("gemm.comp", "0 errors");
  await visitor.leave();
});

test("an example gives back the files that it took the place of", async () => {
  const visitor = await Visitor.arrive();
  await visitor.write(SHADER);
  await visitor.example("qcom/bitcast.comp");
  await expect.poll(() => visitor.editor.textContent()).not.toContain("// from a link");
  await visitor.page.getByRole("button", { name: "Go back" }).click();
  await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
  await visitor.leave();
});

describe("an archive", () => {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));

  test("holds the files, and opens again", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.page.locator("#share").click();
    const download = visitor.page.waitForEvent("download");
    await visitor.page.getByRole("button", { name: /^Download .*\.zip/ }).click();
    const path = join(folder, "made.zip");
    await (await download).saveAs(path);
    expect(Object.keys(unzipSync(readFileSync(path)))).toContain("coopmat-playground.json");
    await visitor.page.keyboard.press("Escape");
    await visitor.write("#version 460\n// something else\n");
    await visitor.page.locator("#share").click();
    await visitor.page.locator("dialog input[type=file]").setInputFiles(path);
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.page.getByRole("button", { name: "Go back" }).click();
    await expect.poll(() => visitor.editor.textContent()).toContain("// something else");
    await visitor.leave();
  });

  test("that unpacks to gigabytes is refused, and the person's files stay", async () => {
    const path = join(folder, "bomb.zip");
    writeFileSync(path, zipSync({ "a.comp": new Uint8Array(80 << 20), "b.comp": strToU8("void main() {}") }));
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.page.locator("#share").click();
    await visitor.page.locator("dialog input[type=file]").setInputFiles(path);
    await visitor.page.locator("#notice", { hasText: "64 MiB" }).waitFor();
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.leave();
  });
});

describe("an embedded page", () => {
  const embedded = (address: string, query: string) => address.replace(/\/#/, `/?embed=1&${query}#`);

  test("to read shows the code alone, explains it, and cannot be changed", async () => {
    const address = await linkTo(SHADER);
    const visitor = await Visitor.arrive(embedded(address, "mode=read"), { width: 640, height: 240 });
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.editor.click();
    await visitor.page.keyboard.type("xyz");
    // Nor is it run, nor the file renamed.
    await visitor.page.keyboard.press("Control+Enter");
    await visitor.page.getByRole("tab").first().dblclick();
    expect(await visitor.editor.textContent()).not.toContain("xyz");
    expect(await visitor.page.locator(".verdict").count()).toBe(0);
    expect(await visitor.page.locator(".pane-side").isVisible()).toBe(false);
    const link = await visitor.page.locator(".open-whole").getAttribute("href");
    expect(link).toBe(address);
    // What this browser keeps is not the embedded page's.
    expect(await visitor.page.evaluate(() => localStorage.length)).toBe(0);
    await visitor.picture("embed-read");
    await visitor.leave();
  });

  test("to edit hands what was edited to the whole page", async () => {
    const address = await linkTo(SHADER);
    const visitor = await Visitor.arrive(embedded(address, "mode=edit&pane=spirv"), {
      width: 900,
      height: 320,
    });
    await visitor.put("from a link");
    await visitor.page.keyboard.type(" and changed");
    const [whole] = await Promise.all([
      visitor.context.waitForEvent("page"),
      visitor.page.locator(".open-whole").click(),
    ]);
    await whole.locator("#editor .cm-content", { hasText: "from a link and changed" }).waitFor();
    await visitor.picture("embed-edit");
    await visitor.leave();
  });

  test("comes as a snippet that works inside of another page", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.page.locator("#share").click();
    await visitor.page.getByLabel("Page", { exact: true }).selectOption("this page");
    await visitor.page.getByLabel("Readers").selectOption("read");
    const html = await visitor.page.locator(".share-embed").inputValue();
    await visitor.page.route("**/blog.html", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><title>Blog</title><p>Text</p>${html}`,
      }),
    );
    await visitor.page.goto(new URL("blog.html", inject("address")).href);
    const inner = visitor.page.frameLocator("iframe").locator("#editor .cm-content");
    await inner.filter({ hasText: "// from a link" }).waitFor();
    await visitor.picture("embed-blog");
    await visitor.leave();
  });
});

describe("without a network", () => {
  test("the page works after the first visit, under any path", async () => {
    const server = await serveBelow("/some/where/", DIST);
    const visitor = await Visitor.arrive(server.address, undefined, { home: server.address, offline: true });
    await visitor.page.waitForFunction(async () => (await navigator.serviceWorker.ready).active !== null);
    await expect
      .poll(() => visitor.page.evaluate(() => navigator.serviceWorker.controller !== null))
      .toBe(true);
    server.stop();
    await visitor.page.reload();
    await visitor.editor.waitFor();
    await expect.poll(() => visitor.status.textContent()).toMatch(/0 errors/);
    // What is loaded when it is asked for is there as well.
    await visitor.example("qcom/bitcast.comp");
    await expect.poll(() => visitor.status.textContent()).toMatch(/^bitcast.comp: 0 errors/);
    await visitor.page.locator("#vim").click();
    await visitor.editor.click();
    await expect.poll(() => visitor.page.locator(".cm-fat-cursor, .cm-vimMode").count()).toBeGreaterThan(0);
    // An embedded page is the same file; what is not ours is not answered for.
    await visitor.page.goto(`${server.address}?embed=1&mode=read`);
    await visitor.editor.waitFor();
    await expect(visitor.page.goto(`${server.address}other/`)).rejects.toThrow("ERR_");
    await visitor.leave();
  });

  test("a newer page is offered, and opened when the person says so", async () => {
    const server = await serveBelow("/", DIST);
    const visitor = await Visitor.arrive(server.address, undefined, { home: server.address, offline: true });
    await visitor.write(SHADER);
    await expect
      .poll(() => visitor.page.evaluate(() => navigator.serviceWorker.controller !== null))
      .toBe(true);
    server.change("sw.js", (text) => text.replace(/"version":"\w+"/, '"version":"newer"'));
    server.change("index.html", (text) => text.replace("<title>", "<title>Newer "));
    await visitor.page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await visitor.page.locator("#notice", { hasText: "new version" }).waitFor();
    expect(await visitor.page.title()).not.toContain("Newer");
    await visitor.page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => visitor.page.title()).toContain("Newer");
    await expect.poll(() => visitor.editor.textContent()).toContain("// from a link");
    await visitor.leave();
    server.stop();
  });
});

describe("the page", () => {
  test("runs no script that came by a text, and asks no stranger", async () => {
    const visitor = await Visitor.arrive();
    const refused = await visitor.page.evaluate(async () => {
      const found: string[] = [];
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
        found.push(effectiveDirective),
      );
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "https://example.org/x.png";
      document.body.append(image);
      await fetch("https://example.org/").catch(() => {});
      // Violations are told in a task of their own.
      const wanted = ["script-src-elem", "img-src", "connect-src"];
      for (let turn = 0; turn < 1000 && !wanted.every((one) => found.includes(one)); turn++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return found;
    });
    expect(refused).toEqual(expect.arrayContaining(["script-src-elem", "img-src", "connect-src"]));
    expect(await visitor.page.title()).not.toBe("taken");
    // These complaints were asked for.
    visitor.complaints.length = 0;
    visitor.foreign.length = 0;
    await visitor.leave();
  });

  test("is used without a mouse: header, tabs, editor and panes are reached in this order", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.getByRole("tab", { name: "Debugger" }).focus();
    await visitor.page.keyboard.press("ArrowRight");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.locator("#pane-spirv:not([hidden])").waitFor();
    const focused = () => visitor.page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("SPIR-V");
    await visitor.page.keyboard.press("End");
    await visitor.page.keyboard.press("ArrowRight");
    await expect.poll(focused).toBe("Run");
    // Tab indents in the editor, until Ctrl-M gives it back.
    await visitor.editor.focus();
    await visitor.page.keyboard.press("Control+m");
    await visitor.page.keyboard.press("Tab");
    await expect
      .poll(() => visitor.editor.evaluate((editor) => editor === document.activeElement))
      .toBe(false);
    await visitor.leave();
  });

  test("has Vim's keys on request, and remembers that", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write("#version 460\n// gone\nvoid main() {}\n");
    await visitor.page.locator("#vim").click();
    await visitor.editor.click();
    await expect.poll(() => visitor.page.locator(".cm-fat-cursor, .cm-vimMode").count()).toBeGreaterThan(0);
    await visitor.page.keyboard.type("ggjdd");
    await expect.poll(() => visitor.text()).toBe("#version 460\nvoid main() {}\n");
    await visitor.page.reload();
    await expect.poll(() => visitor.page.locator("#vim").getAttribute("aria-pressed")).toBe("true");
    await visitor.leave();
  });

  test("in a browser without vector instructions loads the other build of the module, or says why not", async () => {
    const visitor = await Visitor.blank();
    // As such a browser answers.
    await visitor.page.addInitScript(() => {
      WebAssembly.validate = () => false;
    });
    const loaded: string[] = [];
    visitor.page.on("request", (request) => request.url().endsWith(".wasm") && loaded.push(request.url()));
    await visitor.page.goto(inject("address"));
    await expect
      .poll(() => visitor.status.textContent())
      .toMatch(/^gemm.comp: 0 errors|cannot start: this browser lacks/);
    expect(loaded.every((address) => address.includes("plain-"))).toBe(true);
    await visitor.leave();
  });
});

describe("an embedded page to run", () => {
  test("runs, and offers nothing to change", async () => {
    const visitor = await Visitor.arrive("?embed=1", { width: 900, height: 420 });
    await visitor.page.locator('[data-key="run"]').click();
    await expect.poll(() => visitor.page.locator(".verdict").textContent()).toContain("met");
    await visitor.picture("embed-run");
    const fields = visitor.page.locator("#pane-run :is(input, select, textarea):visible");
    expect(await fields.evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 80)))).toEqual([]);
    await visitor.leave();
  });

  test("shows code and result in turn where there is no room for both", async () => {
    const visitor = await Visitor.arrive("?embed=1", { width: 400, height: 320 });
    expect(await visitor.page.locator(".pane-side").isVisible()).toBe(false);
    await visitor.page.getByRole("button", { name: "Result" }).click();
    await expect.poll(() => visitor.page.locator(".editor-side").isVisible()).toBe(false);
    await visitor.page.locator('[data-key="run"]').click();
    await visitor.page.locator(".verdict").waitFor();
    await visitor.picture("embed-narrow");
    await visitor.leave();
  });
});
