import { describe, expect, test } from "vitest";
import { LARGEST, Viewport } from "./viewport";

const area = { width: 400, height: 300 };

test("a large matrix fits, a small one has cells that are easy to read", () => {
  expect(new Viewport(1024, 1024, area).scale).toBeCloseTo(300 / 1024);
  expect(new Viewport(2, 2, area).scale).toBe(40);
  expect(new Viewport(16, 4, area, 2).high).toBe(300 / 16);
});

describe("zooming", () => {
  test("keeps the cell under the pointer", () => {
    const view = new Viewport(1000, 1000, area);
    const before = view.at(123, 77);
    view.zoom(30, 123, 77);
    expect(view.at(123, 77)).toEqual(before);
  });

  test("ends at the largest cells, and at the whole matrix", () => {
    const view = new Viewport(1000, 1000, area);
    view.zoom(1e9);
    expect(view.scale).toBe(LARGEST);
    expect(view.zoom(2)).toBe(false);
    view.zoom(1e-9);
    expect([view.left, view.top, view.fitted]).toEqual([0, 0, true]);
    expect(view.zoom(0.5)).toBe(false);
  });
});

test("panning stays inside", () => {
  const view = new Viewport(100, 100, area);
  view.zoom(10, 0, 0);
  view.pan(1e6, 1e6);
  expect([view.left, view.top]).toEqual([0, 0]);
  view.pan(-1e6, -1e6);
  expect(view.seen.lastColumn).toBe(100);
  expect(view.seen.lastRow).toBe(100);
});

test("a cell is brought into view", () => {
  const view = new Viewport(100, 100, area);
  view.zoom(20, 0, 0);
  view.reveal(90, 80);
  const { firstRow, lastRow, firstColumn, lastColumn } = view.seen;
  expect(firstRow <= 90 && 90 < lastRow && firstColumn <= 80 && 80 < lastColumn).toBe(true);
});

test("what is beside the matrix is no cell", () => {
  const view = new Viewport(2, 2, area);
  expect(view.at(100, 10)).toBeUndefined();
  expect(view.at(-1, 10)).toBeUndefined();
});
