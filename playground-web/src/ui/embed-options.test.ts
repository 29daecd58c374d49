import { describe, expect, test } from "vitest";
import { DEFAULTS, readEmbed, snippet, unembedded } from "./embed-options";

describe("an embedded page", () => {
  test("is asked for in the address", () => {
    expect(readEmbed("")).toBeUndefined();
    expect(readEmbed("?embed=0")).toBeUndefined();
    expect(readEmbed("?embed=1&mode=read&pane=spirv&theme=dark")).toEqual({
      mode: "read",
      pane: "spirv",
      theme: "dark",
    });
  });

  test("takes the usual for what it does not know", () => {
    expect(readEmbed("?embed=1&mode=toString")?.mode).toBe("run");
    expect(readEmbed("?embed=1&mode=fly&pane=%3Cscript%3E&theme=pink")).toEqual({
      mode: "run",
      pane: "none",
      theme: "auto",
    });
  });

  test("comes as one element whose attributes hold any name", () => {
    const { html, address } = snippet("https://example.org/sub/#p=1abc", 'a"><b>.comp', DEFAULTS);
    expect(address).toBe("https://example.org/sub/?embed=1&mode=run#p=1abc");
    expect(html).toContain('src="https://example.org/sub/?embed=1&amp;mode=run#p=1abc"');
    expect(html).toContain('title="a&quot;>&lt;b>.comp in');
  });

  test("leads back to the whole page with the same files", () => {
    expect(unembedded("https://example.org/sub/?embed=1&mode=read#p=1abc")).toBe(
      "https://example.org/sub/#p=1abc",
    );
  });
});
