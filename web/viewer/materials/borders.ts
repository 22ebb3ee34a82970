/** Where pieces end: how far each point is from its piece's border, and whether that is sewn or open. */

export interface Borders {
  /** to the nearest border, at most FAR [m], one a point */
  readonly distance: Float32Array;
  /** along the border, from where its loop begins [m], one a point */
  readonly along: Float32Array;
  /** 1: the nearest border is sewn to something; 0: it is open */
  readonly sewn: Float32Array;
  /** edges of open borders, as the triangles run: two points each */
  readonly open: Uint32Array;
}

/** what lies further inside has no stitches [m] */
export const FAR = 0.05;
/** a piece of which more than this share of triangles has no corner inside is too narrow to tell distances in it */
const NARROW = 0.2;

interface Side { a: number; b: number; sewn: boolean; start: number }

/** uv: place of each point in its piece [m]; triangles: point numbers; particle: of each point. */
export function findBorders(uv: Float32Array, triangles: Uint32Array, particle: Uint32Array): Borders {
  const sides = outline(triangles, particle);
  measure(sides, uv);
  const count = uv.length / 2;
  const distance = new Float32Array(count).fill(FAR), along = new Float32Array(count), sewn = new Float32Array(count);
  const piece = pieces(triangles, count);
  const near = new Map<string, Side[]>();
  for (const side of sides) for (const key of cells(side, uv, piece)) (near.get(key) ?? near.set(key, []).get(key)!).push(side);
  for (let p = 0; p < count; p++) {
    const u = uv[2 * p]!, v = uv[2 * p + 1]!;
    for (const side of near.get(cell(piece[p]!, Math.floor(u / FAR), Math.floor(v / FAR))) ?? []) {
      const [far, part] = toSide(u, v, side, uv);
      if (far >= distance[p]!) continue;
      distance[p] = far;
      along[p] = side.start + part;
      sewn[p] = side.sewn ? 1 : 0;
    }
  }
  forgetNarrow(distance, triangles, piece);
  // pieces that are still flat have no hems: nothing is sewn yet
  const none = !sides.some((side) => side.sewn);
  if (none) distance.fill(FAR);
  return { distance, along, sewn, open: Uint32Array.from(sides.filter((s) => !s.sewn).flatMap(({ a, b }) => [a, b])) };
}

/** Where triangles reach from border to border every place between seems to lie on one: such bands get no stitches. */
function forgetNarrow(distance: Float32Array, triangles: Uint32Array, piece: Int32Array): void {
  const across = new Map<number, [number, number]>();
  for (let t = 0; t < triangles.length; t += 3) {
    const key = piece[triangles[t]!]!, seen = across.get(key) ?? across.set(key, [0, 0]).get(key)!;
    seen[0]++;
    if (distance[triangles[t]!]! + distance[triangles[t + 1]!]! + distance[triangles[t + 2]!]! < 1e-6) seen[1]++;
  }
  for (let p = 0; p < distance.length; p++) {
    const [all, flat] = across.get(piece[p]!) ?? [1, 0];
    if (flat > NARROW * all) distance[p] = FAR;
  }
}

/** Sides of triangles that no second triangle of their piece has; sewn: another piece has one between the same particles. */
function outline(triangles: Uint32Array, particle: Uint32Array): Side[] {
  const once = new Map<number, [number, number] | null>();
  const points = particle.length;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k]!, b = triangles[t + ((k + 1) % 3)]!, key = Math.min(a, b) * points + Math.max(a, b);
      once.set(key, once.has(key) ? null : [a, b]);
    }
  }
  const found = [...once.values()].filter((pair) => pair !== null);
  const between = ([a, b]: [number, number]): number => Math.min(particle[a]!, particle[b]!) * points + Math.max(particle[a]!, particle[b]!);
  const count = new Map<number, number>();
  for (const pair of found) count.set(between(pair), (count.get(between(pair)) ?? 0) + 1);
  return found.map((pair) => ({ a: pair[0], b: pair[1], sewn: count.get(between(pair))! > 1, start: 0 }));
}

/** Tell each side how far round its loop it begins. */
function measure(sides: Side[], uv: Float32Array): void {
  const from = new Map(sides.map((side) => [side.a, side]));
  const done = new Set<Side>();
  for (const first of sides) {
    let at = 0;
    for (let side: Side | undefined = first; side && !done.has(side); side = from.get(side.b)) {
      done.add(side);
      side.start = at;
      at += Math.hypot(uv[2 * side.b]! - uv[2 * side.a]!, uv[2 * side.b + 1]! - uv[2 * side.a + 1]!);
    }
  }
}

function pieces(triangles: Uint32Array, count: number): Int32Array {
  const root = Int32Array.from({ length: count }, (_, i) => i);
  const find = (i: number): number => {
    while (root[i] !== i) i = root[i] = root[root[i]!]!;
    return i;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 1; k < 3; k++) root[find(triangles[t + k]!)] = find(triangles[t]!);
  }
  return root.map((_, i) => find(i));
}

const cell = (piece: number, x: number, y: number): string => `${piece},${x},${y}`;

function cells(side: Side, uv: Float32Array, piece: Int32Array): string[] {
  const xs = [uv[2 * side.a]!, uv[2 * side.b]!], ys = [uv[2 * side.a + 1]!, uv[2 * side.b + 1]!], out: string[] = [];
  for (let x = Math.floor(Math.min(...xs) / FAR) - 1; x <= Math.floor(Math.max(...xs) / FAR) + 1; x++) {
    for (let y = Math.floor(Math.min(...ys) / FAR) - 1; y <= Math.floor(Math.max(...ys) / FAR) + 1; y++) out.push(cell(piece[side.a]!, x, y));
  }
  return out;
}

/** Distance to a side, and how far along it the nearest place lies [m]. */
function toSide(u: number, v: number, { a, b }: Side, uv: Float32Array): [number, number] {
  const au = uv[2 * a]!, av = uv[2 * a + 1]!, du = uv[2 * b]! - au, dv = uv[2 * b + 1]! - av;
  const square = du * du + dv * dv, part = square ? Math.min(Math.max(((u - au) * du + (v - av) * dv) / square, 0), 1) : 0;
  return [Math.hypot(u - au - part * du, v - av - part * dv), part * Math.sqrt(square)];
}
