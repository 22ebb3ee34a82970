/** Reads our files for the page block by block while they arrive; see docs/scene-file.md. Every file is taken for hostile. */

/** Something is wrong with a file or a scene; the message is for people. */
export class ToileError extends Error {
  override name = "ToileError";
}

export type Values = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;

export interface ArrayData {
  readonly shape: readonly number[];
  readonly values: Values;
}

export interface Block {
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, ArrayData>;
}

const VERSION = 1;
const MOST_BYTES = 512 * 2 ** 20;
const MOST_BLOCK = 256 * 2 ** 20;
const MOST_JSON = 1 << 20;
const SIZES = { u1: 1, u2: 2, i4: 4, f4: 4, f8: 8 } as const;
type Kind = keyof typeof SIZES;

/** Yields the blocks of a file as they arrive; throws ToileError where it is damaged or cut short. */
export async function* readBlocks(packed: ReadableStream<Uint8Array> | Uint8Array): AsyncGenerator<Block> {
  const source = packed instanceof Uint8Array ? new Blob([packed as BlobPart]).stream() : packed;
  const bytes = new ByteReader(source.pipeThrough(new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>));
  try {
    const start = view(await bytes.take(12));
    for (const [i, letter] of [..."TOILEWEB"].entries()) {
      if (start.getUint8(i) !== letter.charCodeAt(0)) throw new ToileError("this is not a file for this page");
    }
    const version = start.getUint32(8, true);
    if (version !== VERSION) throw new ToileError(`the file has version ${version}, this page reads version ${VERSION}`);
    for (;;) {
      const head = view(await bytes.take(12));
      const kind = String.fromCharCode(...[0, 1, 2, 3].map((i) => head.getUint8(i)));
      const length = head.getUint32(4, true);
      if (length > MOST_BLOCK) throw new ToileError("the file holds a block that is too large");
      const payload = await bytes.take(length);
      if (crc32(payload, crc32(encoded(kind))) !== head.getUint32(8, true)) throw new ToileError("the file is damaged: a checksum is wrong");
      if (kind === "DONE") return;
      yield parseBlock(kind, payload);
    }
  } finally {
    bytes.close();
  }
}

/** Gathers the pieces of a stream into what is asked for. */
class ByteReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private pieces: Uint8Array[] = [];
  private held = 0;
  private total = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.reader = stream.getReader();
  }

  async take(count: number): Promise<Uint8Array> {
    while (this.held < count) {
      const { done, value } = await this.reader.read().catch((error: unknown) => {
        // browsers and Node tell damage and broken lines by errors of their own
        throw new ToileError("the file is damaged, or its loading broke off", { cause: error });
      });
      if (done) throw new ToileError("the file is cut short");
      this.pieces.push(value);
      this.held += value.length;
      this.total += value.length;
      if (this.total > MOST_BYTES) throw new ToileError("the file unpacks to more than this page takes");
    }
    const out = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      const piece = this.pieces[0]!, used = Math.min(piece.length, count - at);
      out.set(piece.subarray(0, used), at);
      at += used;
      if (used === piece.length) this.pieces.shift();
      else this.pieces[0] = piece.subarray(used);
    }
    this.held -= count;
    return out;
  }

  close(): void {
    void this.reader.cancel().catch(() => undefined);
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function parseBlock(kind: string, payload: Uint8Array): Block {
  if (payload.length < 4) throw new ToileError("the file holds a block without content");
  const length = view(payload).getUint32(0, true);
  if (length > MOST_JSON || length + 4 > payload.length) throw new ToileError("the file holds a block without its list of arrays");
  const about = parseObject(new TextDecoder().decode(payload.subarray(4, 4 + length)));
  const data = payload.subarray(4 + length), arrays = new Map<string, ArrayData>();
  if (!Array.isArray(about.arrays)) throw new ToileError("the file holds a block without its list of arrays");
  let room = MOST_BLOCK;
  for (const entry of about.arrays as unknown[]) {
    if (!isObject(entry) || typeof entry.name !== "string") throw new ToileError("the file holds an array without a name");
    const array = parseArray(entry, data);
    room -= array.values.byteLength;
    if (room < 0) throw new ToileError("the file unpacks to more than this page takes");
    arrays.set(entry.name, array);
  }
  return { kind, arrays, meta: isObject(about.meta) ? about.meta : {} };
}

function parseArray(entry: Record<string, unknown>, data: Uint8Array): ArrayData {
  const { name, type, shape, codec, at, step } = entry;
  const wrong = (): never => {
    throw new ToileError(`the file's array ${String(name).slice(0, 40)} makes no sense`);
  };
  if (!Array.isArray(shape) || !shape.length || shape.length > 4 || !shape.every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 28)) return wrong();
  const sizes = shape as number[], count = sizes.reduce((a, b) => a * b, 1);
  if (typeof type !== "string" || !(type in SIZES) || !Number.isInteger(at) || (at as number) < 0) return wrong();
  const width = codec === "delta" ? 4 : SIZES[type as Kind];
  if ((at as number) + count * width > data.length) return wrong();
  const bytes = data.subarray(at as number, (at as number) + count * width);
  if (codec === "planes") return { shape: sizes, values: joinPlanes(bytes, count, type as Kind) };
  if (codec !== "delta" || (type !== "i4" && type !== "f4")) return wrong();
  const whole = addUp(bytes, sizes[0]!, count);
  if (type === "i4") return { shape: sizes, values: whole };
  if (typeof step !== "number" || !(step > 0 && step < 1e6)) return wrong();
  return { shape: sizes, values: Float64Array.from(whole, (n) => n * step) };
}

/** Byte planes back to numbers. */
function joinPlanes(bytes: Uint8Array, count: number, kind: Kind): Values {
  const width = SIZES[kind], out = new Uint8Array(count * width);
  for (let plane = 0; plane < width; plane++) {
    for (let i = 0, from = plane * count, to = plane; i < count; i++, from++, to += width) out[to] = bytes[from]!;
  }
  const make = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array }[kind];
  return new make(out.buffer);
}

/** Folded differences between rows, column by column in four byte planes, back to whole numbers. */
function addUp(bytes: Uint8Array, rows: number, count: number): Int32Array {
  const out = new Int32Array(count), columns = rows ? count / rows : 0;
  for (let column = 0, from = 0; column < columns; column++) {
    let sum = 0;
    for (let row = 0, to = column; row < rows; row++, from++, to += columns) {
      const folded = bytes[from]! | (bytes[from + count]! << 8) | (bytes[from + 2 * count]! << 16) | (bytes[from + 3 * count]! << 24);
      sum = (sum + ((folded >>> 1) ^ -(folded & 1))) | 0;
      out[to] = sum;
    }
  }
  return out;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // told below
  }
  throw new ToileError("the file holds a block without its list of arrays");
}

// ---------------------------------------------------------------------------- checks

/** An array of whole numbers from low to high (both included) with so many columns. */
export function wholes(block: Block, name: string, columns: number, low: number, high: number): Int32Array {
  const array = block.arrays.get(name);
  if (!array || !(array.values instanceof Int32Array) || array.values.length % columns) throw new ToileError(`the file has no proper array ${name}`);
  for (const value of array.values) if (value < low || value > high) throw new ToileError(`the file's array ${name} points at something that does not exist`);
  return array.values;
}

/** An array of finite numbers with so many columns. */
export function numbers(block: Block, name: string, columns: number, most: number): Float32Array {
  const array = block.arrays.get(name);
  if (!array || array.values.length % columns) throw new ToileError(`the file has no proper array ${name}`);
  for (const value of array.values) if (!(Math.abs(value) <= most)) throw new ToileError(`the file's array ${name} holds numbers that make no sense`);
  return array.values instanceof Float32Array ? array.values : Float32Array.from(array.values);
}

/** A number of a block's JSON between two bounds. */
export function setting(block: Block, name: string, low: number, high: number): number {
  const value = block.meta[name];
  if (typeof value !== "number" || !(value >= low && value <= high)) throw new ToileError(`the file does not say ${name}`);
  return value;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

const encoded = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** before: checksum of what comes before these bytes */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = TABLE[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
