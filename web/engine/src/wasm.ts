import { ToileError, type ArrayData } from "./blocks";

/** The engine's C functions (bindings/wasm/toile.h). Pointers and scenes are numbers. */
export interface Exports {
  readonly memory?: WebAssembly.Memory;
  readonly __stack_pointer?: WebAssembly.Global;
  readonly __tls_size?: WebAssembly.Global;
  readonly __tls_align?: WebAssembly.Global;
  __wasm_init_tls?(at: number): void;
  _initialize?(): void;
  toile_serve?(rank: number): void;
  toile_serving?(): number;
  toile_error(): number;
  toile_alloc(size: number): number;
  toile_free(at: number): void;
  toile_checksum(at: number, size: number): bigint;
  toile_threads(count: number): void;
  toile_open(at: number, size: number): number;
  toile_close(scene: number): void;
  toile_particle_count(scene: number): number;
  toile_joint_count(scene: number): number;
  toile_motion(scene: number, at: number, size: number): number;
  toile_play(scene: number, motion: number, seconds: number): number;
  toile_speed(scene: number, speed: number): number;
  toile_pose(scene: number, at: number): number;
  toile_wind(scene: number, x: number, y: number, z: number): number;
  toile_grab(scene: number, particle: number): number;
  toile_drag(scene: number, x: number, y: number, z: number): number;
  toile_release(scene: number): number;
  toile_pin(scene: number, at: number, count: number): number;
  toile_fabric(scene: number, mass: number, stretch: number, bend: number, friction: number): number;
  toile_frame(scene: number, dt: number): number;
  toile_state(scene: number): number;
  toile_positions(scene: number): number;
  toile_normals(scene: number): number;
  toile_joints(scene: number): number;
  toile_stats(scene: number): number;
}

/** Memory of the build with threads, in pages of 64 kB; as in tools/build_wasm.py. */
export const SHARED_MEMORY = { initial: 1024, maximum: 16384, shared: true } as const;

/** Starts a compiled engine; shared: the memory of the build with threads. */
export async function instantiate(module: WebAssembly.Module, shared?: WebAssembly.Memory): Promise<Exports> {
  let exports: Exports | undefined;
  const memory = (): DataView => new DataView((shared ?? exports!.memory!).buffer);
  const system: Record<string, (...values: never[]) => number> = {
    clock_time_get: (_id: number, _precision: bigint, out: number) => {
      memory().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    // what the C library would print has nowhere to go
    fd_write: (_file: number, list: number, count: number, out: number) => {
      let size = 0;
      for (let i = 0; i < count; i++) size += memory().getUint32(list + 8 * i + 4, true);
      memory().setUint32(out, size, true);
      return 0;
    },
    proc_exit: () => {
      throw new ToileError("the engine stopped");
    },
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  // 52: not there; the engine needs no files
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = kind === "memory" ? shared! : (system[name] ?? (() => 52));
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports as unknown as Exports;
  return exports;
}

/** Whether a compiled engine is the build with threads. */
export function wantsThreads(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.imports(module).some((need) => need.kind === "memory");
}

const TYPES: [new (n: number) => unknown, number][] = [[Int32Array, 0], [Float64Array, 1], [Float32Array, 2], [Uint16Array, 4], [Uint8Array, 5]];
const HEAD = 64, ENTRY = 112, MOST_NAME = 63;

/** Arrays as the engine takes them (engine/core/named_arrays.h); the checksum is still missing. */
export function arraysFile(arrays: ReadonlyMap<string, ArrayData>): Uint8Array {
  const aligned = (n: number): number => Math.ceil(n / 64) * 64;
  let size = aligned(HEAD + ENTRY * arrays.size);
  const places = [...arrays].map(([name, array]) => {
    const at = size;
    size += aligned(array.values.byteLength);
    return { name, array, at };
  });
  const out = new Uint8Array(size), view = new DataView(out.buffer), letters = new TextEncoder();
  out.set(letters.encode("TOILARRS"));
  view.setUint32(8, 1, true);
  view.setUint32(12, places.length, true);
  view.setBigUint64(16, BigInt(size), true);
  places.forEach(({ name, array, at }, i) => {
    const entry = HEAD + ENTRY * i, type = TYPES.find(([kind]) => array.values instanceof kind)?.[1];
    const text = letters.encode(name);
    if (type === undefined || text.length > MOST_NAME) throw new ToileError(`the file's array ${name.slice(0, 40)} makes no sense`);
    out.set(text, entry);
    view.setUint32(entry + 64, type, true);
    view.setUint32(entry + 68, array.shape.length, true);
    for (let d = 0; d < 4; d++) view.setBigUint64(entry + 72 + 8 * d, BigInt(array.shape[d] ?? 1), true);
    view.setBigUint64(entry + 104, BigInt(at), true);
    out.set(new Uint8Array(array.values.buffer, array.values.byteOffset, array.values.byteLength), at);
  });
  return out;
}
