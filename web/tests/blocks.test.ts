import { execFileSync } from "node:child_process";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readBlocks, ToileError, type Block } from "toile-engine";
import { RecordingFile } from "../viewer/src/recording";

// written by the Python side, so that both agree
const python = process.env.TOILE_PYTHON ?? "../.venv/bin/python";
const made = (code: string): Uint8Array => new Uint8Array(execFileSync(python, ["-c", code], { maxBuffer: 1 << 28, cwd: import.meta.dirname + "/.." }));
async function all(bytes: Uint8Array): Promise<Block[]> {
  const found: Block[] = [];
  for await (const block of readBlocks(bytes)) found.push(block);
  return found;
}

const BLOCKS = `
import sys, numpy as np
from toile.io.blocks import Block, Rounded, pack_blocks
x = np.arange(12, dtype=np.int32).reshape(4, 3) * -100000
sys.stdout.buffer.write(pack_blocks([Block("TEST", {"i": x, "r": Rounded(x * 0.5, 0.25), "d": x.astype(np.float64) / 3,
    "b": np.arange(5, dtype=np.uint8), "h": np.arange(5, dtype=np.uint16) * 300, "f": np.float32([1.5, -2.25])}, {"name": "é"})]))`;
const RECORDING = `
import sys, tempfile
sys.path.insert(0, "../tests/support")
from dressed_samples import recording
from toile.export.playback import write_playback
path = tempfile.mktemp(suffix=".play")
write_playback(recording(25), path)
sys.stdout.buffer.write(open(path, "rb").read())`;

describe("blocks", () => {
  it("read what Python wrote", async () => {
    const [block] = await all(made(BLOCKS));
    expect(block?.kind).toBe("TEST");
    expect(block?.meta.name).toBe("é");
    const values = (name: string): number[] => [...(block?.arrays.get(name)?.values ?? [])];
    const x = Array.from({ length: 12 }, (_, i) => 0 - i * 100000);
    expect(values("i")).toEqual(x.map((n) => n));
    expect(values("r")).toEqual(x.map((n) => n * 0.5));
    expect(values("d")).toEqual(x.map((n) => n / 3));
    expect(values("b")).toEqual([0, 1, 2, 3, 4]);
    expect(values("h")).toEqual([0, 300, 600, 900, 1200]);
    expect(values("f")).toEqual([1.5, -2.25]);
    expect(block?.arrays.get("i")?.shape).toEqual([4, 3]);
  });

  it("refuse damage", async () => {
    const good = gunzipSync(made(BLOCKS));
    for (let n = 0; n < 100; n++) {
      const bad = Buffer.from(good), bit = (n * 7919) % (8 * bad.length);
      bad[bit >> 3]! ^= 1 << (bit & 7);
      await expect(all(gzipSync(bad)), `bit ${bit}`).rejects.toBeInstanceOf(ToileError);
    }
    for (const length of [0, 5, 12, 30, good.length - 1]) await expect(all(gzipSync(good.subarray(0, length)))).rejects.toBeInstanceOf(ToileError);
    const packed = made(BLOCKS);
    await expect(all(packed.subarray(0, packed.length - 20))).rejects.toBeInstanceOf(ToileError);
    await expect(all(new Uint8Array([1, 2, 3]))).rejects.toBeInstanceOf(ToileError);
  });
});

describe("recordings", () => {
  it("show their first frame, then all", async () => {
    let told = 0;
    const file = await RecordingFile.open(made(RECORDING), () => told++);
    expect(file.ready).toBe(1);
    await file.complete;
    expect([file.ready, file.frameCount, told]).toEqual([25, 25, 3]);
    expect(file.fps).toBeCloseTo(30);
    const positions = Float32Array.from(file.at(3 / 30).positions!);
    expect(positions.every((x) => Math.abs(x) < 3)).toBe(true);
    const between = file.at(3.5 / 30).positions!, here = Float32Array.from(between), next = file.at(4 / 30).positions!;
    for (let i = 0; i < next.length; i += 97) expect(here[i]).toBeCloseTo((positions[i]! + next[i]!) / 2, 5);
  });

  it("refuse frames that lie", async () => {

    const file = made(`${RECORDING.replace("from toile.export.playback import write_playback", `
from toile.io import blocks
old = blocks.pack_blocks
def lying(found):
    found = list(found)
    found[2].meta["first"] = 5
    return old(found)
import toile.export.playback as playback
playback.pack_blocks = lying
from toile.export.playback import write_playback`)}`);
    const recording = await RecordingFile.open(file);
    await expect(recording.complete).rejects.toThrow("not in order");
  });
});
