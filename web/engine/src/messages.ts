import type { Block } from "./blocks";
import type { Command, FabricChoice, LiveFrame } from "./simulation";

/** What a page tells the Worker of a scene. */
export type ToWorker =
  | { kind: "open"; module: WebAssembly.Module; scene: Uint8Array; threads: number }
  | { kind: "help"; module: WebAssembly.Module; memory: WebAssembly.Memory; stack: number; storage: number; rank: number }
  | { kind: "command"; command: Command }
  /** compute so many frames; back: a frame that was drawn, to be filled again */
  | { kind: "want"; count: number; back?: LiveFrame }
  /** positions as computed */
  | { kind: "state" };

/** What it tells the page. */
export type FromWorker =
  | { kind: "opened"; head: Block; body: Block | null; joints: number; fabrics: readonly FabricChoice[]; first: LiveFrame; threads: number }
  | { kind: "frame"; frame: LiveFrame }
  | { kind: "state"; positions: Float64Array; memory: number }
  | { kind: "refused"; message: string }
  | { kind: "failed"; message: string }
  /** a further Worker is wanted, which gets this message */
  | { kind: "helper"; help: ToWorker };
