// Runs the matrix product as WebAssembly: node web.mjs MODULE.wasm SHADER.spv TILE MODE RUNS
// Prints the rate in GFLOP/s of processor time, and the fingerprint of the result.
import { readFileSync } from "node:fs";

const [module, shader, tile, mode, runs] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { push, load, prepare, run, result } = instance.exports;
for (const byte of readFileSync(shader)) push(byte);
if (!load(Number(tile), Number(mode))) throw new Error("the module cannot be run");
let best = Number.POSITIVE_INFINITY;
// Two more before: the engine compiles in the background at first.
for (let round = -2; round < Number(runs); round++) {
  if (!prepare()) throw new Error("nothing to run");
  const before = process.cpuUsage();
  if (!run()) throw new Error("the run failed");
  const { user, system } = process.cpuUsage(before);
  if (round >= 0) best = Math.min(best, user + system);
}
console.log((2 * 512 ** 3) / best / 1e3, result() >>> 0);
