import { ToileError, wholes, type Block } from "./blocks";
import type { FromWorker, ToWorker } from "./messages";
import type { Command, FabricChoice, LiveFrame } from "./simulation";

export interface LiveOptions {
  /** address of the folder with toile.wasm and toile-threads.wasm, or the compiled engine */
  readonly engine: string | URL | WebAssembly.Module;
  /** 1: never more; left out: two where the page may share memory and the device has more than two cores */
  readonly threads?: number;
  /** makes the Worker; left out: the one beside this module */
  readonly worker?: () => Worker;
}

/** What a scene holds between two frames. */
export interface LiveState {
  /** of the particles, as computed [m] */
  readonly positions: Float64Array;
  /** memory of the engine [bytes] */
  readonly memory: number;
}

/** A scene that lives in a Worker: commands go in, frames come out, nobody waits. */
export class LiveScene {
  /** the scene's first block: names, parts, pictures of fabrics */
  readonly head: Block;
  /** arrays of the body for drawing; null: the scene has no joints */
  readonly body: Block | null;
  readonly jointCount: number;
  readonly particleCount: number;
  /** of the cloth, over its particles */
  readonly triangles: Uint32Array;
  readonly fabrics: readonly FabricChoice[];
  readonly threads: number;
  /** frames that wait to be drawn */
  private readonly frames: LiveFrame[];
  private readonly times: number[] = [];
  private readonly asked: ((state: LiveState) => void)[] = [];
  /** called when a frame is there */
  onFrame: (() => void) | null = null;
  /** called when the engine had to stop, or refused a command */
  onProblem: ((message: string, fatal: boolean) => void) | null = null;

  private constructor(private readonly workers: Worker[], opened: Extract<FromWorker, { kind: "opened" }>) {
    ({ head: this.head, body: this.body, joints: this.jointCount, fabrics: this.fabrics, threads: this.threads } = opened);
    this.particleCount = opened.first.positions.length / 3;
    const particle = wholes(this.head, "particle", 1, 0, this.particleCount - 1);
    this.triangles = Uint32Array.from(wholes(this.head, "triangles", 3, 0, particle.length - 1), (point) => particle[point]!);
    this.frames = [opened.first];
    workers[0]!.onmessage = ({ data }: MessageEvent<FromWorker>) => this.take(data);
    workers[0]!.onerror = (event) => this.onProblem?.(event.message, true);
  }

  /** Opens a prepared scene; throws ToileError with what is wrong with it. */
  static async open(scene: Uint8Array, options: LiveOptions): Promise<LiveScene> {
    const threads = options.threads ?? usableThreads();
    if (options.threads === undefined && threads > 1) {
      // shared memory may be refused, as on small devices: one thread does as well
      const found = await LiveScene.start(scene, options, threads).catch(() => null);
      if (found) return found;
    }
    return LiveScene.start(scene, options, options.threads ?? 1);
  }

  private static async start(scene: Uint8Array, options: LiveOptions, threads: number): Promise<LiveScene> {
    const make = options.worker ?? beside;
    const module = options.engine instanceof WebAssembly.Module ? options.engine : await loadEngine(options.engine, threads > 1);
    const workers = [make()];
    return new Promise((found, failed) => {
      const give = (message: ToWorker): void => workers[0]!.postMessage(message);
      const stop = (why: unknown): void => {
        for (const worker of workers) worker.terminate();
        failed(why);
      };
      workers[0]!.onerror = (event) => stop(new ToileError(event.message || "the Worker of the scene could not be started"));
      workers[0]!.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "helper") {
          const helper = make();
          helper.postMessage(data.help);
          workers.push(helper);
        } else if (data.kind === "opened") {
          try {
            found(new LiveScene(workers, data));
          } catch (error) {
            stop(error);
          }
        } else if (data.kind === "failed") stop(new ToileError(data.message));
      };
      give({ kind: "open", module, scene, threads });
    });
  }

  run(command: Command): void {
    // other frames take another time
    if (command.do === "rate") this.times.length = 0;
    this.post({ kind: "command", command });
  }

  /** Asks for further frames; back: one that was drawn. */
  want(count: number, back?: LiveFrame): void {
    if (back) this.workers[0]?.postMessage({ kind: "want", count, back } satisfies ToWorker, [back.positions.buffer, back.normals.buffer, back.joints.buffer]);
    else this.post({ kind: "want", count });
  }

  /** The next frame to be drawn, if it is there. */
  next(): LiveFrame | null {
    return this.frames.shift() ?? null;
  }

  /** Positions as computed, once the frames that were asked for before are done or under way. */
  state(): Promise<LiveState> {
    this.post({ kind: "state" });
    return new Promise((found) => this.asked.push(found));
  }

  /** What a frame takes, the middle of the last 60 [ms]; 0: not known yet. */
  get frameTime(): number {
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  /** How many frames the time was taken of. */
  get measured(): number {
    return this.times.length;
  }

  close(): void {
    for (const worker of this.workers) worker.terminate();
    this.workers.length = 0;
  }

  private post(message: ToWorker): void {
    this.workers[0]?.postMessage(message);
  }

  private take(message: FromWorker): void {
    if (message.kind === "frame") {
      this.frames.push(message.frame);
      this.times.push(message.frame.took);
      if (this.times.length > 60) this.times.shift();
      this.onFrame?.();
    } else if (message.kind === "state") this.asked.shift()?.(message);
    else if (message.kind === "failed" || message.kind === "refused") {
      if (message.kind === "failed") this.close();
      this.onProblem?.(message.message, message.kind === "failed");
    }
  }
}

/** Two threads gain most: a third one waits for the others as often as it helps. */
export function usableThreads(): number {
  return globalThis.crossOriginIsolated && navigator.hardwareConcurrency > 1 ? 2 : 1;
}

/** Fetches and compiles the engine. */
export async function loadEngine(folder: string | URL, threads: boolean): Promise<WebAssembly.Module> {
  const address = `${String(folder).replace(/\/$/, "")}/${threads ? "toile-threads.wasm" : "toile.wasm"}`;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) throw new ToileError(`the engine could not be loaded from ${address}`);
  // not every host knows the type that compileStreaming asks for
  return WebAssembly.compile(await answer.arrayBuffer());
}

const beside = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
