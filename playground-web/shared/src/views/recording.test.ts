import { describe, expect, test } from "vitest";
import { readRecording } from "./recording";

/** A load of a 1x2 matrix of float16_t through a tensor layout, and a store of it. */
function sample(stored = "CooperativeVectorStore") {
  const data = new Uint8Array(128);
  const view = new DataView(data.buffer);
  view.setFloat64(0, 1, true);
  view.setFloat64(8, -2, true);
  view.setUint16(16, 0x3c00, true);
  view.setUint16(18, 0xc000, true);
  data[24] = 0b10;
  // Two elements: [0, 3] at index 3, and one that asks for [-1, 0].
  for (const [at, word] of [0, 3, 0, 3, 0, 3, 2, 0, -1, 0, 0, 0].entries())
    view.setInt32(32 + 4 * at, word, true);
  const tensor = {
    clampMode: "Constant",
    clampValue: 0,
    dimension: [4, 4],
    stride: [4, 1],
    offset: [0, 0],
    span: [1, 2],
    blockSize: [1, 1],
    view: null,
    elements: 32,
  };
  const none = {
    array: null,
    arrayResult: null,
    start: null,
    vectors: null,
    workgroup: [0, 0, 0],
    subgroup: 0,
  };
  const index = {
    dropped: 0,
    events: [
      {
        ...none,
        operation: "CooperativeMatrixLoadTensor",
        instruction: 7,
        path: "a.comp",
        line: 4,
        operands: [],
        result: 0,
        memory: {
          name: "buffer A",
          offset: 8,
          size: 2,
          stride: null,
          layout: null,
          transposed: false,
          tensor,
        },
      },
      {
        ...none,
        operation: "CooperativeMatrixStore",
        instruction: 9,
        path: null,
        line: null,
        operands: [0],
        result: null,
        memory: {
          name: "shared memory",
          offset: 0,
          size: 2,
          stride: 4,
          layout: "ColumnMajor",
          transposed: false,
          tensor: null,
        },
      },
      {
        ...none,
        operation: stored,
        instruction: 11,
        path: null,
        line: null,
        operands: [0],
        result: null,
        memory: null,
        vectors: {
          active: [0],
          interpretations: [],
          starts: { name: "buffer B", offsets: [32], size: 2 },
        },
      },
    ],
    matrices: [
      {
        component: "float16_t",
        rows: 1,
        columns: 2,
        use: "A",
        scope: "subgroup",
        values: 0,
        bits: 16,
        undefined: 24,
      },
    ],
  };
  return readRecording(JSON.stringify(index), data);
}

describe("a recording", () => {
  test("has values, bits and what is undefined", () => {
    const [load] = sample().events;
    expect(Array.from(load?.matrix?.values ?? [])).toEqual([1, -2]);
    expect(load?.matrix?.bits?.(1)).toBe(0xc000n);
    expect([0, 1].map((index) => load?.matrix?.undefined?.(index))).toEqual([false, true]);
  });

  test("says where in memory each element is", () => {
    const [load] = sample().events;
    expect(load?.title).toBe("coopMatLoadTensorNV");
    expect(load?.tensor?.element(0)).toEqual({ kind: "element", index: 3, wanted: [0, 3], got: [0, 3] });
    expect(load?.tensor?.element(1)).toMatchObject({ kind: "clamped", wanted: [-1, 0] });
  });

  test("calls a store's matrix by its name, and tells its place in words", () => {
    const [, store] = sample().events;
    expect(store?.matrix?.name).toBe("Stored matrix");
    expect(store?.where).toBe("shared memory from byte 0, stride 4 bytes, column major");
    expect([store?.path, store?.line]).toEqual([undefined, undefined]);
  });

  test("calls functions of each component as GLSL does", () => {
    const titles = ["FMax", "SMin", "UClamp", "Tanh", "Fma"].map((name) => sample(name).events[2]?.title);
    expect(titles).toEqual(["max", "min", "clamp", "tanh", "fma"]);
  });

  test("has cooperative vectors as rows, and where their components are in memory", () => {
    const [, , { title, vectors, matrix } = {}] = sample().events;
    expect([title, matrix?.name]).toEqual(["coopVecStoreNV", "Stored vector"]);
    expect(vectors?.facts).toEqual([["Memory", "buffer B from byte 32"]]);
    expect([1, 2].map((index) => matrix?.inactive?.(index))).toEqual([false, true]);
    expect(vectors?.kind === "components" && vectors.where?.(0, 1)).toBe("Byte 34 of buffer B");
  });
});
