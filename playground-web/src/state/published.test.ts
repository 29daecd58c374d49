// Whom a link reaches goes by its host; what it carries is the same at every address of the page.

import { decode, encode } from "@coopmat/shared/project/share";
import { describe, expect, test } from "vitest";
import { at, reach } from "./published";

describe("a link reaches", () => {
  test.each([
    "http://localhost:5173/",
    "http://LOCALHOST/",
    "http://page.localhost/",
    "http://127.0.0.1:8080/x/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://[::1]:5173/",
    "http://[::ffff:127.0.0.1]/",
    "file:///home/page/index.html",
    "blob:null/1",
  ])("this machine alone: %s", (address) => {
    expect(reach(address)).toBe("machine");
  });

  test.each([
    "http://10.0.0.7/",
    "http://172.16.0.1/",
    "http://172.31.255.1/",
    "http://192.168.1.20:5173/",
    "http://169.254.1.1/",
    "http://100.64.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://workstation:5173/",
    "http://workstation.local/",
    "https://pages.corp/",
    "https://pages.example.internal./",
  ])("this network alone: %s", (address) => {
    expect(reach(address)).toBe("network");
  });

  test.each([
    "https://example.org/coopmat/",
    "https://example.github.io/",
    "http://172.32.0.1/",
    "http://192.169.0.1/",
    "http://11.0.0.1/",
    "http://[2001:db8::1]/",
    "https://localhost.example.org/",
    "https://local.example.org/",
  ])("everyone: %s", (address) => {
    expect(reach(address)).toBe("everyone");
  });
});

test("a link carries the same at another host and path", () => {
  const project = { files: [{ name: "a.comp", text: "void main() {}\n" }], active: "a.comp", options: {} };
  const link = new URL(encode(project), "http://127.0.0.1:5173/index.html?x=1").href;
  const moved = at("https://example.org/some/where/", link);
  expect(moved.startsWith("https://example.org/some/where/#p=")).toBe(true);
  expect(decode(new URL(moved).hash)).toEqual(project);
});
