import { describe, expect, it } from "vitest";
import { FAR, findBorders } from "../viewer/materials/borders";

/** A strip of squares, each two triangles: rows of points of the given heights. */
function strip(heights: number[], length: number): { uv: Float32Array; triangles: Uint32Array } {
  const uv: number[] = [], triangles: number[] = [], wide = heights.length;
  for (let x = 0; x <= length; x++) for (const y of heights) uv.push(0.02 * x, y);
  for (let x = 0; x < length; x++) {
    for (let y = 0; y + 1 < wide; y++) {
      const a = wide * x + y;
      triangles.push(a, a + wide, a + 1, a + 1, a + wide, a + wide + 1);
    }
  }
  return { uv: Float32Array.from(uv), triangles: Uint32Array.from(triangles) };
}

describe("borders of pieces", () => {
  it("are as far as they are", () => {
    // folded in the middle and sewn to itself at its ends, so that something is sewn
    const { uv, triangles } = strip([0, 0.02, 0.04, 0.06, 0.08], 10), particle = Uint32Array.from({ length: uv.length / 2 }, (_, i) => i % 50);
    const { distance } = findBorders(uv, triangles, particle);
    for (const [i, far] of [0, 0.02, 0.04, 0.02, 0].entries()) expect(distance[25 + i]).toBeCloseTo(far, 6);
  });

  it("are not told in bands whose triangles reach across", () => {
    const { uv, triangles } = strip([0, 0.03], 10), particle = Uint32Array.from({ length: uv.length / 2 }, (_, i) => i % 20);
    expect([...findBorders(uv, triangles, particle).distance]).toEqual(new Array(uv.length / 2).fill(Math.fround(FAR)));
  });
});
