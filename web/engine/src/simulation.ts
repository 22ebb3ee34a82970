import { readBlocks, ToileError, type Block } from "./blocks";
import { arraysFile, instantiate, type Exports } from "./wasm";

/** A fabric of a scene: how it differs from the one the garments were sewn of. */
export interface FabricChoice {
  readonly name: string;
  readonly mass: number;
  readonly stretch: number;
  readonly bend: number;
  readonly friction: number;
}

/** One computed frame. */
export interface LiveFrame {
  positions: Float32Array;
  normals: Float32Array;
  joints: Float32Array;
  /** how long the computer took [ms] */
  took: number;
  /** frames computed so far */
  number: number;
  /** crossings left in this frame */
  left: number;
}

/** Commands of a page. */
export type Command =
  | { do: "play"; motion: number; seconds: number }
  | { do: "speed"; value: number }
  | { do: "wind"; x: number; y: number; z: number }
  | { do: "grab"; particle: number }
  | { do: "drag"; x: number; y: number; z: number }
  | { do: "release" }
  /** simulated frames a second, 20 to 240; 60 at first */
  | { do: "rate"; value: number }
  | { do: "pin"; particles: number[] }
  | { do: "fabric"; index: number };

/** A scene inside the engine, in whatever thread it is made. Frames take time: pages use LiveScene, which has a Worker. */
export class Simulation {
  readonly particleCount: number;
  readonly jointCount: number;
  /** length of a frame [s] */
  private step = 1 / 60;

  private constructor(
    private readonly engine: Exports, private readonly memory: WebAssembly.Memory, private scene: number,
    readonly head: Block, readonly body: Block | null, readonly fabrics: readonly FabricChoice[],
  ) {
    this.particleCount = engine.toile_particle_count(scene);
    this.jointCount = engine.toile_joint_count(scene);
  }

  /** Opens a prepared scene; throws ToileError with what is wrong with it. */
  static async open(module: WebAssembly.Module, file: ReadableStream<Uint8Array> | Uint8Array, shared?: WebAssembly.Memory, ready?: Exports): Promise<Simulation> {
    const engine = ready ?? (await instantiate(module, shared)), memory = shared ?? engine.memory!;
    if (!ready) engine._initialize?.();
    let head: Block | null = null, made: Simulation | null = null;
    for await (const block of readBlocks(file)) {
      if (block.kind === "HEAD") head = block;
      else if (block.kind === "SCEN" && head) {
        const scene = give(engine, memory, block, (at, size) => engine.toile_open(at, size));
        made = new Simulation(engine, memory, scene, head, bodyOf(block), readFabrics(head));
      } else if (block.kind === "MOTN" && made) {
        const { scene } = made;
        give(engine, memory, block, (at, size) => engine.toile_motion(scene, at, size));
      }
    }
    if (!made || made.head.meta.content !== "scene") throw new ToileError("this file holds no scene");
    return made;
  }

  frame(dt = this.step): void {
    this.check(this.engine.toile_frame(this.scene, dt));
  }

  /** Copies what is to be drawn. */
  read(into?: LiveFrame): LiveFrame {
    const n = 3 * this.particleCount, j = 12 * this.jointCount;
    const to = into ?? { positions: new Float32Array(n), normals: new Float32Array(n), joints: new Float32Array(j), took: 0, number: 0, left: 0 };
    to.normals.set(this.floats(this.engine.toile_normals(this.scene), n));
    to.positions.set(this.floats(this.engine.toile_positions(this.scene), n));
    if (j) to.joints.set(this.floats(this.engine.toile_joints(this.scene), j));
    const stats = new Float64Array(this.memory.buffer, this.engine.toile_stats(this.scene), 8);
    to.number = stats[0]!;
    to.left = stats[2]!;
    return to;
  }

  /** Positions as computed, for tests: valid until the next frame. */
  state(): Float64Array {
    return new Float64Array(this.memory.buffer, this.engine.toile_state(this.scene), 3 * this.particleCount);
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  run(command: Command): void {
    const { engine, scene } = this;
    switch (command.do) {
      case "play": return this.check(engine.toile_play(scene, command.motion + 1, command.seconds));
      case "speed": return this.check(engine.toile_speed(scene, command.value));
      case "wind": return this.check(engine.toile_wind(scene, command.x, command.y, command.z));
      case "grab": return this.check(engine.toile_grab(scene, command.particle));
      case "drag": return this.check(engine.toile_drag(scene, command.x, command.y, command.z));
      case "release": return this.check(engine.toile_release(scene));
      case "rate": return this.setRate(command.value);
      case "pin": return this.pin(command.particles);
      case "fabric": {
        const fabric = this.fabrics[command.index];
        if (!fabric) throw new ToileError("there is no such fabric");
        return this.check(engine.toile_fabric(scene, fabric.mass, fabric.stretch, fabric.bend, fabric.friction));
      }
    }
  }

  close(): void {
    this.engine.toile_close(this.scene);
    this.scene = 0;
  }

  private setRate(value: number): void {
    if (!(value >= 20 && value <= 240)) throw new ToileError("a scene is computed 20 to 240 times a second");
    this.step = 1 / value;
  }

  private pin(particles: number[]): void {
    const at = this.engine.toile_alloc(4 * particles.length + 4);
    new Int32Array(this.memory.buffer, at, particles.length).set(particles);
    const done = this.engine.toile_pin(this.scene, at, particles.length);
    this.engine.toile_free(at);
    this.check(done);
  }

  private floats(at: number, count: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, count);
  }

  private check(done: number): void {
    if (!done) throw new ToileError(told(this.engine, this.memory));
  }
}

/** What a picture of the body needs of a scene's arrays. */
function bodyOf(block: Block): Block | null {
  const names = ["body.vertices", "skin.triangles", "joints.vertex", "joints.weight"];
  const arrays = new Map(names.flatMap((name) => (block.arrays.has(name) ? [[name, block.arrays.get(name)!] as const] : [])));
  return arrays.size === names.length ? { kind: "BODY", meta: {}, arrays } : null;
}

/** Hands the arrays of a block to a function of the engine, with their checksum. */
function give(engine: Exports, memory: WebAssembly.Memory, block: Block, to: (at: number, size: number) => number): number {
  const bytes = arraysFile(block.arrays), at = engine.toile_alloc(bytes.length);
  if (!at) throw new ToileError("this device has too little memory for the scene");
  new Uint8Array(memory.buffer).set(bytes, at);
  const sum = engine.toile_checksum(at + 64, bytes.length - 64);
  new DataView(memory.buffer).setBigUint64(at + 24, BigInt.asUintN(64, sum), true);
  const found = to(at, bytes.length);
  engine.toile_free(at);
  if (!found) throw new ToileError(told(engine, memory));
  return found;
}

function told(engine: Exports, memory: WebAssembly.Memory): string {
  const bytes = new Uint8Array(memory.buffer), at = engine.toile_error();
  let end = at;
  while (end < at + 500 && bytes[end]) end++;
  // a copy: text cannot be read from memory that is shared
  return new TextDecoder().decode(bytes.slice(at, end)) || "the engine refused";
}

function readFabrics(head: Block): FabricChoice[] {
  const list = Array.isArray(head.meta.fabrics) ? (head.meta.fabrics as unknown[]).slice(0, 100) : [];
  return list.map((item) => {
    const from = (item ?? {}) as Record<string, unknown>;
    const factor = (name: string): number => {
      const value = from[name];
      if (typeof value !== "number" || !(value >= 1e-3 && value <= 1e3)) throw new ToileError("the scene's fabrics make no sense");
      return value;
    };
    return { name: String(from.name).slice(0, 60), mass: factor("mass"), stretch: factor("stretch"), bend: factor("bend"), friction: factor("friction") };
  });
}
