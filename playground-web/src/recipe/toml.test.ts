import { describe, expect, test } from "vitest";
import { append, Edits, set } from "./toml";

test("numbers that JSON lacks are named, and what is not there is left out", () => {
  expect(set(["a"], [Number.NaN, -0, Number.NEGATIVE_INFINITY, 1.5])).toEqual({
    kind: "set",
    path: ["a"],
    value: [{ $number: "nan" }, { $number: "-0" }, { $number: "-inf" }, 1.5],
  });
  expect(append("buffers", { name: "e", type: undefined })).toEqual({
    kind: "append",
    list: "buffers",
    table: { name: "e" },
  });
  expect(set(["a"], undefined)).toEqual({ kind: "remove", path: ["a"] });
});

describe("edits", () => {
  /** The module: adds the first step of the path, when it is let. */
  function made(text: string | undefined) {
    const held = { text };
    const waiting: (() => void)[] = [];
    const edits = new Edits(
      { read: () => held.text, write: (_, text) => (held.text = text) },
      (text, edit) =>
        new Promise((resolve, reject) => {
          const step = edit.kind === "set" ? edit.path[0] : undefined;
          waiting.push(() => (step === "!" ? reject(new Error("no")) : resolve(`${text}${step}`)));
        }),
    );
    const turn = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      waiting.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    };
    return { held, edits, turn };
  }

  test("come one after the other", async () => {
    const { held, edits, turn } = made("");
    void edits.apply("x", set(["a"], 1));
    void edits.apply("x", set(["b"], 1));
    await turn();
    expect(held.text).toBe("a");
    await turn();
    expect(held.text).toBe("ab");
  });

  test("are of what was typed meanwhile", async () => {
    const { held, edits, turn } = made("1");
    void edits.apply("x", set(["a"], 1));
    await Promise.resolve();
    held.text = "2";
    await turn();
    expect(held.text).toBe("2");
    await turn();
    expect(held.text).toBe("2a");
  });

  test("that fail are told, and keep no other from being made", async () => {
    const { held, edits, turn } = made("");
    const refused = expect(edits.apply("x", set(["!"], 1))).rejects.toThrow("no");
    void edits.apply("x", set(["b"], 1));
    await turn();
    await refused;
    await turn();
    expect(held.text).toBe("b");
  });

  test("of a project that is gone are none", async () => {
    const { held, edits, turn } = made("");
    let here = true;
    void edits.apply("x", set(["a"], 1), () => here);
    await Promise.resolve();
    here = false;
    await turn();
    expect(held.text).toBe("");
  });

  test("of a file that is gone are none", async () => {
    const { held, edits } = made(undefined);
    await edits.apply("x", set(["a"], 1));
    expect(held.text).toBeUndefined();
  });
});
