import { numbers, readBlocks, setting, ToileError, wholes, type Block } from "toile-engine";
import { readBody, readCloth } from "./dressed";
import type { BodyMesh, ClothMesh, FrameData } from "./types";

const MOST_FRAMES = 20_000, MOST_NUMBERS = 400_000_000;

/** A recorded walk, shown while it is still arriving. */
export class RecordingFile {
  /** frames that have arrived */
  ready = 0;
  readonly name: string;
  readonly frameCount: number;
  readonly fps: number;
  /** the last frame runs into the first */
  readonly loop: boolean;
  readonly body: BodyMesh | null;
  readonly cloth: ClothMesh;
  /** settles when all frames are there, or with what is wrong with the file */
  readonly complete: Promise<void>;
  private readonly parent: Int32Array;
  private readonly cloths: Int16Array[] = [];
  private readonly origins: Float64Array[] = [];
  private readonly joints: Float32Array[] = [];
  private step = 0;
  private readonly shown: { positions: Float32Array; joints: Float32Array };

  private constructor(head: Block, blocks: AsyncGenerator<Block>, told: (file: RecordingFile) => void) {
    if (head.kind !== "HEAD" || head.meta.content !== "recording") throw new ToileError("this file holds no recording");
    this.name = String(head.meta.name ?? "").slice(0, 200);
    this.frameCount = setting(head, "frames", 1, MOST_FRAMES);
    this.fps = setting(head, "fps", 0.1, 1000);
    this.loop = head.meta.loop === true;
    this.parent = wholes(head, "parent", 1, -1, 2 ** 24);
    for (const [i, above] of this.parent.entries()) if (above >= i) throw new ToileError("the file's cloth does not fit together");
    if (this.parent.length * 3 * this.frameCount > MOST_NUMBERS) throw new ToileError("the recording is too large for this page");
    this.body = readBody(head);
    this.cloth = readCloth(head, this.parent.length);
    this.shown = { positions: new Float32Array(3 * this.parent.length), joints: new Float32Array(12 * (this.body?.jointCount ?? 0)) };
    this.complete = this.gather(blocks, told);
    // whoever does not ask is not told by the console
    this.complete.catch(() => undefined);
  }

  /** Opens a file; settles with its first frame. more: called whenever further frames arrived. */
  static async open(packed: ReadableStream<Uint8Array> | Uint8Array, more: (file: RecordingFile) => void = () => undefined): Promise<RecordingFile> {
    const blocks = readBlocks(packed), head = await blocks.next();
    if (head.done) throw new ToileError("this file holds nothing");
    return new Promise((found, failed) => {
      let first = true;
      const file = new RecordingFile(head.value, blocks, (f) => {
        if (first) found(f);
        else more(f);
        first = false;
      });
      file.complete.catch(failed);
    });
  }

  get duration(): number {
    return (this.loop ? this.frameCount : this.frameCount - 1) / this.fps;
  }

  /** What is seen at a time [s] from the start, between two frames; valid until the next call. */
  at(time: number): FrameData {
    const place = Math.max(time, 0) * this.fps, last = this.ready - 1;
    const first = Math.min(Math.floor(place), last);
    const next = first < last ? first + 1 : this.loop && this.ready === this.frameCount ? 0 : last;
    const part = Math.min(place - first, 1), { positions, joints } = this.shown;
    const a = this.cloths[first]!, b = this.cloths[next]!, from = this.origins[first]!, to = this.origins[next]!;
    for (let axis = 0; axis < 3; axis++) {
      const start = from[axis]! * (1 - part) + to[axis]! * part;
      for (let i = axis; i < a.length; i += 3) positions[i] = this.step * (start + a[i]! * (1 - part) + b[i]! * part);
    }
    const j = this.joints[first]!, k = this.joints[next]!;
    for (let i = 0; i < joints.length; i++) joints[i] = j[i]! * (1 - part) + k[i]! * part;
    return { positions, joints };
  }

  private async gather(blocks: AsyncGenerator<Block>, told: (file: RecordingFile) => void): Promise<void> {
    for await (const block of blocks) {
      if (block.kind === "FRAM") this.add(block);
      told(this);
    }
    if (this.ready !== this.frameCount) throw new ToileError(`the recording ends after ${this.ready} of ${this.frameCount} frames`);
  }

  private add(block: Block): void {
    const packed = block.arrays.get("cloth"), n = this.parent.length;
    const origins = wholes(block, "origin", 3, -(2 ** 29), 2 ** 29), count = origins.length / 3;
    if (setting(block, "first", 0, MOST_FRAMES) !== this.ready || this.ready + count > this.frameCount) throw new ToileError("the recording's frames are not in order");
    if (!(packed?.values instanceof Uint8Array) || packed.values.length !== 6 * n * count) throw new ToileError("the recording's cloth has the wrong size");
    this.step = setting(block, "step", 1e-7, 0.1);
    for (let f = 0; f < count; f++) {
      this.cloths.push(this.unfold(packed.values.subarray(6 * n * f, 6 * n * (f + 1))));
      this.origins.push(Float64Array.from(origins.subarray(3 * f, 3 * f + 3)));
    }
    this.addJoints(block, count);
    this.ready += count;
  }

  /** Adds the step from the frame before: a neighbour's step, and by how much it differs. */
  private unfold(bytes: Uint8Array): Int16Array {
    const n = this.parent.length, out = new Int16Array(3 * n), step = new Int16Array(n), before = this.cloths.at(-1);
    for (let axis = 0; axis < 3; axis++) {
      const low = axis * n, high = (axis + 3) * n;
      for (let i = 0, at = axis; i < n; i++, at += 3) {
        const folded = bytes[low + i]! | (bytes[high + i]! << 8), above = this.parent[i]!;
        step[i] = ((folded >>> 1) ^ -(folded & 1)) + (above < 0 ? 0 : step[above]!);
        out[at] = (before ? before[at]! : 0) + step[i]!;
      }
    }
    return out;
  }

  private addJoints(block: Block, count: number): void {
    const joints = this.body?.jointCount ?? 0;
    if (!joints) {
      for (let f = 0; f < count; f++) this.joints.push(new Float32Array(0));
      return;
    }
    const turn = numbers(block, "turn", 9 * joints, 1e3), move = numbers(block, "move", 3 * joints, 1e4);
    if (turn.length !== 9 * joints * count || move.length !== 3 * joints * count) throw new ToileError("the recording's body has the wrong size");
    for (let f = 0; f < count; f++) {
      const rows = new Float32Array(12 * joints);
      for (let row = 0; row < 3 * joints; row++) {
        for (let k = 0; k < 3; k++) rows[4 * row + k] = turn[9 * joints * f + 3 * row + k]!;
        rows[4 * row + 3] = move[3 * joints * f + row]!;
      }
      this.joints.push(rows);
    }
  }
}
