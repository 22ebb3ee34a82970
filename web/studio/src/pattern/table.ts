/** The cutting table: where the pieces lie on the screen, what lies under the pointer. */
import { state, type EdgeSpot } from "../state";
import { boxOf, nearestOn, outline, type Box, type PieceSeen, type Point } from "./model";

export interface Under {
  readonly piece: PieceSeen | null;
  /** number of a corner */
  readonly corner: number | null;
  readonly edge: { readonly spot: EdgeSpot; readonly share: number; readonly at: Point } | null;
  /** handle of a curve: edge and number of the control point */
  readonly handle: { readonly edge: number; readonly control: number } | null;
}

const CORNER = 9, EDGE = 11;

class Table {
  /** place of the screen's left upper corner [m], and pixels a metre */
  x = 0;
  y = 0;
  scale = 400;
  width = 1;
  height = 1;
  private fitted = false;

  toScreen(p: Point): Point {
    return [(p[0] - this.x) * this.scale, (this.y - p[1]) * this.scale];
  }

  toTable(p: Point): Point {
    return [p[0] / this.scale + this.x, this.y - p[1] / this.scale];
  }

  /** Of a piece, in pixels. */
  onScreen(piece: PieceSeen, points: readonly Point[]): Point[] {
    return points.map((p) => this.toScreen([p[0] + piece.table[0], p[1] + piece.table[1]]));
  }

  /** All pieces, or some, in the middle. */
  fit(pieces = state.allPieces()): void {
    const all = pieces.flatMap((one) => outline(one).map((p): Point => [p[0] + one.table[0], p[1] + one.table[1]]));
    if (!all.length) return;
    this.show(boxOf(all));
    this.fitted = true;
  }

  resize(width: number, height: number): void {
    const first = this.width <= 1 || !this.fitted;
    // what was in the middle stays there
    this.x -= (width - this.width) / 2 / this.scale;
    this.y += (height - this.height) / 2 / this.scale;
    this.width = width;
    this.height = height;
    if (first) this.fit();
  }

  zoom(factor: number, at: Point): void {
    const before = this.toTable(at);
    this.scale = Math.min(Math.max(this.scale * factor, 20), 20_000);
    const after = this.toTable(at);
    this.x += before[0] - after[0];
    this.y += before[1] - after[1];
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** What lies at a place of the screen: the topmost piece, its corner or edge if one is near. */
  under(p: Point, reach = 1): Under {
    const pieces = state.allPieces().reverse();
    const handle = this.handleAt(p, reach);
    let nearest: Under["edge"] = null, far = EDGE * reach, of: PieceSeen | null = null;
    for (const piece of pieces) {
      const corners = this.onScreen(piece, piece.corners);
      const corner = corners.findIndex((c) => Math.hypot(c[0] - p[0], c[1] - p[1]) < CORNER * reach);
      if (corner >= 0) return { piece, corner, edge: this.edgeOf(piece, p, EDGE * reach), handle };
      const edge = this.edgeOf(piece, p, far);
      if (edge) [nearest, far, of] = [edge, edge.far, piece];
    }
    const piece = of ?? pieces.find((one) => inside(p, this.onScreen(one, outline(one)))) ?? null;
    return { piece, corner: null, edge: nearest, handle };
  }

  private edgeOf(piece: PieceSeen, p: Point, most: number): (NonNullable<Under["edge"]> & { far: number }) | null {
    let found = null;
    for (let edge = 0; edge < piece.edges.length; edge++) {
      const { far, share, at } = nearestOn(this.onScreen(piece, piece.edges[edge]!.line), p);
      if (far >= most) continue;
      most = far;
      found = { spot: { garment: piece.garment, piece: piece.piece, edge }, share, at, far };
    }
    return found;
  }

  private handleAt(p: Point, reach: number): Under["handle"] {
    const { garment, pieces, edges } = state.selection, piece = pieces[0] ? state.piece(garment, pieces[0]) : undefined;
    if (!piece) return null;
    for (const edge of edges) {
      const controls = this.onScreen(piece, piece.edges[edge]?.controls ?? []);
      const control = controls.findIndex((c) => Math.hypot(c[0] - p[0], c[1] - p[1]) < (CORNER + 2) * reach);
      if (control >= 0) return { edge, control };
    }
    return null;
  }

  private show(box: Box): void {
    const margin = 40, [width, height] = [Math.max(this.width - 2 * margin, 50), Math.max(this.height - 2 * margin, 50)];
    this.scale = Math.min(width / Math.max(box.right - box.left, 0.05), height / Math.max(box.top - box.bottom, 0.05), 3000);
    this.x = (box.left + box.right) / 2 - this.width / 2 / this.scale;
    this.y = (box.top + box.bottom) / 2 + this.height / 2 / this.scale;
  }
}

export function inside(p: Point, points: readonly Point[]): boolean {
  let odd = false;
  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length]!;
    if (a[1] > p[1] !== b[1] > p[1] && p[0] < ((b[0] - a[0]) * (p[1] - a[1])) / (b[1] - a[1]) + a[0]) odd = !odd;
  });
  return odd;
}

export const table = new Table();
