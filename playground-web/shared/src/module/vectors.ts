// Which of the two builds of the module this browser can run: with vector instructions, which every current browser has, or without.

/** A function that makes a vector of bytes and counts their bits: `i32.const 0; i8x16.splat; i8x16.popcnt`. */
const VECTORS = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7b],
  ...[3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x62, 0x0b],
);

export const hasSimd = () => WebAssembly.validate(VECTORS);
