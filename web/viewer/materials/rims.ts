/** The cut edge of cloth has a thickness: a narrow band round all open borders, towards the inside. */

export interface Rims {
  /** point that each added point lies on */
  readonly on: Uint32Array;
  /** triangles of the bands, in point numbers after the adding */
  readonly triangles: Uint32Array;
}

/** open: border edges as the triangles run, two points each; points: how many there are already. */
export function rimsOf(open: Uint32Array, points: number): Rims {
  const added = new Map<number, number>(), on: number[] = [], triangles: number[] = [];
  const inner = (point: number): number => {
    let found = added.get(point);
    if (found === undefined) {
      added.set(point, (found = points + on.length));
      on.push(point);
    }
    return found;
  };
  for (let i = 0; i < open.length; i += 2) {
    const a = open[i]!, b = open[i + 1]!;
    triangles.push(b, a, inner(a), b, inner(a), inner(b));
  }
  return { on: Uint32Array.from(on), triangles: Uint32Array.from(triangles) };
}
