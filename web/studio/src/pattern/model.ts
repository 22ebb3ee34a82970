/** Pieces as the studio tells them, and what the page reckons itself while something is being dragged. */
import type { EdgeAt, EdgeSeen, GarmentSeen, PieceSeen } from "../../../shared/studio-messages";

export type Point = [number, number];
export type CurveKind = "line" | "quadratic" | "cubic" | "arc" | "polyline";
export type { EdgeAt, EdgeSeen, GarmentSeen, PieceSeen };

const STEPS = 24;

/** Points along a curve from its start to its end. */
export function curvePoints(kind: string, a: Point, c: readonly Point[], b: Point): Point[] {
  if (kind === "line") return [a, b];
  if (kind === "polyline") return [a, ...c, b];
  if (kind === "arc") return arcPoints(a, c[0]!, b);
  const all = [a, ...c, b];
  return Array.from({ length: STEPS + 1 }, (_, i) => bezier(all, i / STEPS));
}

function bezier(points: readonly Point[], t: number): Point {
  let row = points;
  while (row.length > 1) row = row.slice(1).map((p, i): Point => [row[i]![0] + t * (p[0] - row[i]![0]), row[i]![1] + t * (p[1] - row[i]![1])]);
  return row[0]!;
}

/** From a to b through the point between them, on a circle; on a line where there is none. */
function arcPoints(a: Point, through: Point, b: Point): Point[] {
  const centre = circleCentre(a, through, b);
  if (!centre) return [a, b];
  const angle = (p: Point): number => Math.atan2(p[1] - centre[1], p[0] - centre[0]);
  const radius = Math.hypot(a[0] - centre[0], a[1] - centre[1]), from = angle(a), turn = 2 * Math.PI;
  const ahead = (to: number): number => (((to - from) % turn) + turn) % turn;
  // the way round on which the point between lies
  const sweep = ahead(angle(through)) <= ahead(angle(b)) ? ahead(angle(b)) : ahead(angle(b)) - turn;
  return Array.from({ length: STEPS + 1 }, (_, i): Point => {
    const at = from + (sweep * i) / STEPS;
    return i === 0 ? a : i === STEPS ? b : [centre[0] + radius * Math.cos(at), centre[1] + radius * Math.sin(at)];
  });
}

function circleCentre(a: Point, b: Point, c: Point): Point | null {
  const cross = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (Math.abs(cross) < 1e-9) return null;
  const ab = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2, ac = (c[0] - a[0]) ** 2 + (c[1] - a[1]) ** 2;
  return [a[0] + ((c[1] - a[1]) * ab - (b[1] - a[1]) * ac) / (2 * cross), a[1] + ((b[0] - a[0]) * ac - (c[0] - a[0]) * ab) / (2 * cross)];
}

/** The whole outline, each point once. */
export function outline(piece: PieceSeen): Point[] {
  return piece.edges.flatMap((edge) => edge.line.slice(0, -1));
}

export function lengthOf(points: readonly Point[]): number {
  return points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p[0] - points[i]![0], p[1] - points[i]![1]), 0);
}

/** Enclosed by a line [m²]. */
export function areaOf(points: readonly Point[]): number {
  return Math.abs(points.reduce((sum, p, i) => {
    const q = points[(i + 1) % points.length]!;
    return sum + p[0] * q[1] - q[0] * p[1];
  }, 0)) / 2;
}

export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export function boxOf(points: readonly Point[]): Box {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  return box;
}

/** The place at a share of a line's length, and which way it goes there. */
export function along(points: readonly Point[], share: number): { at: Point; way: Point } {
  let rest = share * lengthOf(points);
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b] = [points[i]!, points[i + 1]!], size = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (rest <= size || i + 2 === points.length) {
      const t = size ? Math.min(rest / size, 1) : 0;
      return { at: [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])], way: size ? [(b[0] - a[0]) / size, (b[1] - a[1]) / size] : [1, 0] };
    }
    rest -= size;
  }
  return { at: points[0] ?? [0, 0], way: [1, 0] };
}

/** Where a line is nearest to a point: as a share of its length, and how far away. */
export function nearestOn(points: readonly Point[], p: Point): { share: number; far: number; at: Point } {
  const total = lengthOf(points) || 1;
  let best = { share: 0, far: Infinity, at: points[0] ?? ([0, 0] as Point) }, done = 0;
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b] = [points[i]!, points[i + 1]!], dx = b[0] - a[0], dy = b[1] - a[1], size = Math.hypot(dx, dy);
    const t = size ? Math.min(Math.max(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / size ** 2, 0), 1) : 0;
    const at: Point = [a[0] + t * dx, a[1] + t * dy], far = Math.hypot(p[0] - at[0], p[1] - at[1]);
    if (far < best.far) best = { share: (done + t * size) / total, far, at };
    done += size;
  }
  return best;
}

/** The piece with other corners and curves: its lines, lengths and area follow. */
function redrawn(piece: PieceSeen, corners: Point[], shape: (edge: EdgeSeen, number: number) => Pick<EdgeSeen, "kind" | "controls">): PieceSeen {
  const edges = piece.edges.map((edge, i): EdgeSeen => {
    const { kind, controls } = shape(edge, i), line = curvePoints(kind, corners[edge.start]!, controls, corners[edge.end]!);
    return { ...edge, kind, controls, line, length: lengthOf(line) };
  });
  const made = { ...piece, corners, edges };
  return { ...made, area: areaOf(outline(made)) };
}

/** Corners go by so much; the curves that end there are carried along at the moved end. */
export function movePoints(piece: PieceSeen, points: readonly number[], by: Point): PieceSeen {
  const corners = piece.corners.map((p, i): Point => (points.includes(i) ? [p[0] + by[0], p[1] + by[1]] : p));
  return redrawn(piece, corners, (edge) => {
    const [first, last] = [points.includes(edge.start) ? 1 : 0, points.includes(edge.end) ? 1 : 0], count = edge.controls.length + 1;
    const controls = edge.controls.map((c, i): Point => {
      const share = first + (last - first) * ((i + 1) / count);
      return [c[0] + share * by[0], c[1] + share * by[1]];
    });
    return { kind: edge.kind, controls };
  });
}

/** Edges go by so much as they are, with their corners. */
export function moveEdges(piece: PieceSeen, edges: readonly number[], by: Point): PieceSeen {
  const corners = [...new Set(edges.flatMap((e) => [piece.edges[e]!.start, piece.edges[e]!.end]))];
  return movePoints(piece, corners, by);
}

export function setCurve(piece: PieceSeen, edge: number, kind: CurveKind, controls: readonly Point[]): PieceSeen {
  return redrawn(piece, piece.corners, (old, i) => (i === edge ? { kind, controls: [...controls] } : old));
}

/** A side of a seam as one line from its start to its end, for arrows and lengths. */
export function sidePoints(side: readonly EdgeAt[], find: (piece: string) => PieceSeen | undefined): Point[][] {
  return side.flatMap((at) => {
    const line = find(at.piece)?.edges[at.edge]?.line;
    return line ? [at.reversed ? [...line].reverse() : line] : [];
  });
}
