// The public address is read from Cargo.toml, and one that is missing or wrong ends the build.

import { publicAddress } from "@coopmat/shared/address";
import { expect, test } from "vitest";

const manifest = (line: string) =>
  `[workspace]\nmembers = []\n\n[workspace.metadata.playground]\n${line}\n\n[profile.dev]\ndebug = 1\n`;

test("the repository names one", () => {
  expect(new URL(publicAddress()).protocol).toBe("https:");
});

test("it is the setting's", () => {
  const address = "https://example.org/some/where/";
  expect(publicAddress(manifest(`address = "${address}"`))).toBe(address);
});

test.each([
  "",
  'address = ""',
  'address = "https://example.org/where"',
  'address = "http://example.org/"',
  "address = 1",
])("%s is refused", (line) => {
  expect(() => publicAddress(manifest(line))).toThrow("address");
});
