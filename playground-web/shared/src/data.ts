// Numbers as files: `.npy` for what the page writes, `.csv` for spreadsheets, base64 for what a project carries.

const DTYPES: Record<string, string> = {
  f64: "<f8",
  f32: "<f4",
  f16: "<f2",
  s8: "|i1",
  u8: "|u1",
  s16: "<i2",
  u16: "<u2",
  s32: "<i4",
  u32: "<u4",
  s64: "<i8",
  u64: "<u8",
};

/** A `.npy` file of version 1 around bytes that lie in rows. */
function npyOf(dtype: string, shape: readonly number[], data: Uint8Array): Uint8Array<ArrayBuffer> {
  const lengths = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  let header = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${lengths}), }`;
  // Magic, version and length are ten bytes; the data begins at a multiple of 64, after a line feed.
  header += " ".repeat(63 - ((header.length + 10) % 64));
  header += "\n";
  const bytes = new Uint8Array(10 + header.length + data.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  bytes.set(data, 10 + header.length);
  return bytes;
}

/** Numbers as 64-bit floats, which hold those of every type but the largest integers. */
export function npy(values: Float64Array, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  return npyOf("<f8", shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

/** A buffer that is packed in rows, in its own type where NumPy has it; otherwise as 64-bit floats. */
export function npyOfBuffer(
  type: string | null,
  shape: readonly number[],
  packed: boolean,
  bytes: Uint8Array,
  values: Float64Array,
): Uint8Array<ArrayBuffer> {
  const dtype = DTYPES[type ?? ""];
  return dtype && packed ? npyOf(dtype, shape, bytes) : npy(values, shape);
}

/** `told`: a number as a recipe reads it back. */
export function csv(values: Float64Array, columns: number, told: (value: number) => string): string {
  const rows: string[] = [];
  for (let at = 0; at < values.length; at += Math.max(columns, 1))
    rows.push(Array.from(values.subarray(at, at + Math.max(columns, 1)), told).join(","));
  return `${rows.join("\n")}\n`;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
