/** What pointers do on the cutting table, tool by tool. */
import { attempt, edit } from "../scene/link";
import type { ToStudio } from "../../../shared/studio-messages";
import { dropping, pieceKey, state } from "../state";
import { moveEdges, movePoints, setCurve, type PieceSeen, type Point } from "./model";
import { clickEdge, dropSewing } from "./sew";
import { snap } from "./snap";
import { table, type Under } from "./table";

/** What is drawn besides the pieces while a pointer is down. */
export const marks: { guides: [Point, Point][]; box: [Point, Point] | null; tape: [Point, Point] | null; labels: { at: Point; text: "edges" }[] } = {
  guides: [], box: null, tape: null, labels: [],
};

interface Drag {
  move: (to: Point, event: PointerEvent) => void;
  end: (moved: boolean) => void;
}

/** a touch is wider than a mouse */
const reachOf = (event: PointerEvent): number => (event.pointerType === "touch" ? 2.2 : event.pointerType === "pen" ? 1.4 : 1);
const SLACK = 3;
let groups = 0;
const fingers = new Map<number, Point>();
let drag: { by: Drag; from: Point; moved: boolean; pointer: number } | null = null;

export const placeOf = (event: MouseEvent, element: Element): Point => {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

export function pointerDown(event: PointerEvent): void {
  const element = event.currentTarget as Element, p = placeOf(event, element);
  element.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, p);
  if (fingers.size > 1) return endDrag(false);
  const under = table.under(p, reachOf(event));
  const by = event.button === 1 || event.button === 2 || state.tool === "grab" ? pan(p) : begin(under, p, event);
  drag = { by, from: p, moved: false, pointer: event.pointerId };
}

export function pointerMove(event: PointerEvent): void {
  const p = placeOf(event, event.currentTarget as Element);
  const before = fingers.get(event.pointerId);
  if (before && fingers.size > 1) return pinch(event.pointerId, before, p);
  if (before) fingers.set(event.pointerId, p);
  if (!drag || drag.pointer !== event.pointerId) return hover(p, event);
  if (!drag.moved && Math.hypot(p[0] - drag.from[0], p[1] - drag.from[1]) < SLACK * reachOf(event)) return;
  drag.moved = true;
  drag.by.move(p, event);
  state.update();
}

export function pointerUp(event: PointerEvent): void {
  fingers.delete(event.pointerId);
  if (drag?.pointer === event.pointerId) endDrag(event.type === "pointerup");
}

function endDrag(finished: boolean): void {
  const now = drag;
  drag = null;
  Object.assign(marks, { guides: [], box: null, labels: [] });
  if (now) now.by.end(finished && now.moved);
  state.update();
}

function hover(p: Point, event: PointerEvent): void {
  const under = table.under(p, reachOf(event)), spot = under.edge?.spot ?? null;
  const same = spot?.edge === state.hover?.edge && spot?.piece === state.hover?.piece && spot?.garment === state.hover?.garment;
  if (same) return;
  state.hover = spot;
  state.update();
}

/** Two fingers move and widen the table. */
function pinch(pointer: number, before: Point, p: Point): void {
  const other = [...fingers].find(([id]) => id !== pointer)?.[1];
  fingers.set(pointer, p);
  if (!other) return;
  const far = (a: Point): number => Math.max(Math.hypot(a[0] - other[0], a[1] - other[1]), 1);
  table.zoom(far(p) / far(before), [(p[0] + other[0]) / 2, (p[1] + other[1]) / 2]);
  table.pan((p[0] - before[0]) / 2, (p[1] - before[1]) / 2);
  state.update();
}

function pan(from: Point): Drag {
  let last = from;
  return {
    move: (p) => {
      table.pan(p[0] - last[0], p[1] - last[1]);
      last = p;
    },
    end: () => undefined,
  };
}

/** A click without a drag is what end(false) means. */
function begin(under: Under, p: Point, event: PointerEvent): Drag {
  const { piece, edge } = under, more = event.shiftKey;
  switch (state.tool) {
    case "seam":
      return clickOrPan(p, () => (edge ? clickEdge(edge.spot, edge.share, more) : dropSewing()));
    case "pin":
      return clickOrPan(p, () => edge && pinEdge(edge.spot.garment, edge.spot.piece, edge.spot.edge));
    case "measure":
      return tape(p);
    case "point":
      if (piece && under.corner !== null) return dragCorner(piece, under.corner, more, p);
      if (piece && edge) return dragEdge(piece, edge.spot.edge, more, p);
      break;
    case "curve":
      if (piece && under.handle && !(edge && under.corner !== null)) return dragHandle(piece, under.handle.edge, under.handle.control);
      if (piece && edge) return bend(piece, edge.spot.edge, edge.share, p);
      break;
    default:
      break;
  }
  if (edge && state.tool === "select" && under.corner === null) return dragPiece(piece!, p, more, edge.spot.edge);
  return piece ? dragPiece(piece, p, more, null) : frame(p, more);
}

function clickOrPan(p: Point, click: () => unknown): Drag {
  const moving = pan(p);
  let moved = false;
  return {
    move: (to, e) => {
      moved = true;
      moving.move(to, e);
    },
    end: () => {
      if (!moved) click();
    },
  };
}

function pinEdge(garment: number, piece: string, edge: number): void {
  const held = state.piece(garment, piece)?.edges[edge]?.held;
  edit(held ? { type: "free_edge", garment, piece, edge } : { type: "hold_edge", garment, piece, edge, kind: "pin" });
  state.select({ garment, pieces: [piece], edges: [edge] });
}

const chosen = (piece: PieceSeen): boolean => state.selection.garment === piece.garment && state.selection.pieces.includes(piece.piece);

/** With the mouse up: sends one edit; while it moves: shows what it will be, and sends now and then so that the cloth follows. */
function dragging(piece: PieceSeen, change: (from: PieceSeen, by: Point) => PieceSeen, message: (by: Point) => ToStudio): { move: (by: Point) => void; end: (moved: boolean) => void } {
  const group = `drag-${Date.now()}-${++groups}`, key = pieceKey(piece.garment, piece.piece);
  let by: Point = [0, 0], sent: Point = [0, 0], last = performance.now();
  const send = (): void => {
    const way: Point = [by[0] - sent[0], by[1] - sent[1]];
    if (!way[0] && !way[1]) return;
    edit({ ...message(way), group });
    sent = by;
    last = performance.now();
  };
  return {
    move: (to) => {
      by = to;
      state.preview.set(key, change(piece, by));
      if (performance.now() - last > OFTEN) send();
    },
    end: (moved) => {
      if (!moved) state.preview.delete(key);
      else send();
    },
  };
}

/** how often the cloth is told while something is dragged [ms] */
const OFTEN = 250;

function dragCorner(piece: PieceSeen, corner: number, more: boolean, p: Point): Drag {
  const old = chosen(piece) ? state.selection.corners : [];
  const corners = old.includes(corner) ? old : more ? [...old, corner] : [corner];
  state.select({ garment: piece.garment, pieces: [piece.piece], corners });
  const from = piece.corners[corner]!, start = table.toTable(p), others = piece.corners.filter((_, i) => !corners.includes(i));
  const run = dragging(piece, (old_, by) => movePoints(old_, corners, by), (by) => ({ type: "move_points", garment: piece.garment, piece: piece.piece, points: [...corners], by }));
  return {
    move: (to, e) => {
      const at = table.toTable(to), wanted: Point = [from[0] + at[0] - start[0], from[1] + at[1] - start[1]];
      const snapped = state.wishes.snap && !e.altKey ? snap(wanted, others, 7 / table.scale, gridSize()) : { at: wanted, guides: [] };
      const put = (q: Point): Point => [q[0] + piece.table[0], q[1] + piece.table[1]];
      marks.guides = snapped.guides.map(([a, b]): [Point, Point] => [put(a), put(b)]);
      run.move([snapped.at[0] - from[0], snapped.at[1] - from[1]]);
    },
    end: run.end,
  };
}

/** as fine as can be told apart on the screen: 1 cm, 5 mm or 1 mm */
const gridSize = (): number => [0.001, 0.005, 0.01].find((size) => size * table.scale >= 4) ?? 0.01;

function dragEdge(piece: PieceSeen, edge: number, more: boolean, p: Point): Drag {
  const old = chosen(piece) ? state.selection.edges : [];
  const edges = old.includes(edge) ? old : more ? [...old, edge] : [edge];
  state.select({ garment: piece.garment, pieces: [piece.piece], edges });
  const start = table.toTable(p);
  const run = dragging(piece, (old_, by) => moveEdges(old_, edges, by), (by) => ({ type: "move_edges", garment: piece.garment, piece: piece.piece, edges: [...edges], by }));
  return {
    move: (to, e) => {
      const at = table.toTable(to), size = state.wishes.snap && !e.altKey ? gridSize() : 0;
      const by: Point = [at[0] - start[0], at[1] - start[1]];
      // shift holds one direction
      if (e.shiftKey) by[Math.abs(by[0]) < Math.abs(by[1]) ? 0 : 1] = 0;
      run.move(size ? [Math.round(by[0] / size) * size, Math.round(by[1] / size) * size] : by);
    },
    end: run.end,
  };
}

/** Several pieces or one go elsewhere on the table; a click selects. */
function dragPiece(piece: PieceSeen, p: Point, more: boolean, edge: number | null): Drag {
  const before = state.selection, was = chosen(piece);
  if (!was || edge !== null || before.edges.length || before.corners.length) {
    const pieces = more && before.garment === piece.garment && before.pieces.length ? [...new Set([...before.pieces, piece.piece])] : was && edge === null ? before.pieces : [piece.piece];
    const edges = edge === null ? [] : more && was ? [...new Set([...before.edges, edge])] : [edge];
    state.select({ garment: piece.garment, pieces, edges });
  }
  const start = table.toTable(p);
  let last: PointerEvent | null = null;
  const moved = state.selection.pieces.flatMap((name) => state.piece(piece.garment, name) ?? []);
  const runs = moved.map((one) => dragging(
    one, (old, by) => ({ ...old, table: [old.table[0] + by[0], old.table[1] + by[1]] }), (by) => ({ type: "move_piece", garment: one.garment, piece: one.piece, by }),
  ));
  return {
    move: (to, event) => {
      last = event;
      if (overBody(event, piece.piece)) return;
      const at = table.toTable(to);
      for (const run of runs) run.move([at[0] - start[0], at[1] - start[1]]);
    },
    end: (done) => {
      // the places may have come up under a pointer that stood still
      if (last && !dropping.over) overBody(last, piece.piece);
      const place = dropping.over, dropped = dropping.piece !== "";
      Object.assign(dropping, { piece: "", over: "" });
      for (const run of runs) run.end(done && !dropped);
      if (done && place) for (const one of moved) void attempt({ type: "place_piece", garment: one.garment, piece: one.piece, place: place as "front" });
    },
  };
}

/** Over the 3D view a piece looks for its place on the body. */
function overBody(event: PointerEvent, piece: string): boolean {
  const under = document.elementFromPoint(event.clientX, event.clientY), over = under?.closest(".pane-3d") !== null && under !== null;
  dropping.piece = over ? piece : "";
  dropping.over = over ? ((under as HTMLElement).dataset["place"] ?? "") : "";
  return over;
}

/** A box round pieces selects them; a click on the table lets everything go. */
function frame(from: Point, more: boolean): Drag {
  const kept = more ? state.selection.pieces : [];
  return {
    move: (to) => {
      marks.box = [from, to];
      const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])], [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
      const within = state.allPieces().filter((one) => table.onScreen(one, one.corners).every(([x, y]) => x > left && x < right && y > top && y < bottom));
      const garment = within[0]?.garment ?? state.selection.garment;
      state.selection = { garment, pieces: [...new Set([...kept, ...within.filter((one) => one.garment === garment).map((one) => one.piece)])], corners: [], edges: [], seam: null };
    },
    end: (moved) => {
      if (!moved && !more) state.select({});
    },
  };
}

/** Pulling at a line makes it a curve that passes the pointer. */
function bend(piece: PieceSeen, edge: number, share: number, p: Point): Drag {
  state.select({ garment: piece.garment, pieces: [piece.piece], edges: [edge] });
  const seen = piece.edges[edge]!, start = table.toTable(p), key = pieceKey(piece.garment, piece.piece);
  const [a, b] = [piece.corners[seen.start]!, piece.corners[seen.end]!], t = Math.min(Math.max(share, 0.2), 0.8);
  let controls: Point[] | null = null;
  return {
    move: (to) => {
      const at = table.toTable(to), by: Point = [at[0] - start[0], at[1] - start[1]];
      controls = bent(seen.kind, seen.controls, a, b, t, by);
      state.preview.set(key, setCurve(piece, edge, controls.length === 1 ? "quadratic" : "cubic", controls));
    },
    end: (moved) => {
      if (moved && controls) edit({ type: "set_curve", garment: piece.garment, piece: piece.piece, edge, kind: controls.length === 1 ? "quadratic" : "cubic", controls });
      else state.preview.delete(key);
    },
  };
}

/** Control points with which the curve's point at t goes along by so much. */
function bent(kind: string, old: readonly Point[], a: Point, b: Point, t: number, by: Point): Point[] {
  const cubic = kind === "cubic" || kind === "quadratic";
  const from = kind === "cubic" ? old : kind === "quadratic" ? raised(a, old[0]!, b) : [between(a, b, 1 / 3), between(a, b, 2 / 3)];
  // the weight of both control points at t, shared by how near they are
  const [w1, w2] = [3 * t * (1 - t) ** 2, 3 * t * t * (1 - t)], sum = w1 * w1 + w2 * w2;
  const made = from.map((c, i): Point => [c[0] + ((i ? w2 : w1) / sum) * by[0], c[1] + ((i ? w2 : w1) / sum) * by[1]]);
  return cubic || made.length === 2 ? made : [...from];
}

const between = (a: Point, b: Point, t: number): Point => [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
const raised = (a: Point, c: Point, b: Point): Point[] => [between(a, c, 2 / 3), between(b, c, 2 / 3)];

function dragHandle(piece: PieceSeen, edge: number, control: number): Drag {
  const seen = piece.edges[edge]!, key = pieceKey(piece.garment, piece.piece);
  let controls = [...seen.controls];
  return {
    move: (to) => {
      const at = table.toTable(to);
      controls = seen.controls.map((c, i): Point => (i === control ? [at[0] - piece.table[0], at[1] - piece.table[1]] : c));
      state.preview.set(key, setCurve(piece, edge, seen.kind as "cubic", controls));
    },
    end: (moved) => {
      if (moved) edit({ type: "set_curve", garment: piece.garment, piece: piece.piece, edge, kind: seen.kind as "cubic", controls });
      else state.preview.delete(key);
    },
  };
}

function tape(from: Point): Drag {
  const start = snapToCorner(from);
  marks.tape = null;
  return {
    move: (to) => {
      marks.tape = [start, snapToCorner(to)];
    },
    end: () => undefined,
  };
}

function snapToCorner(p: Point): Point {
  const { piece, corner, edge } = table.under(p);
  if (piece && corner !== null) {
    const [x, y] = piece.corners[corner]!;
    return [x + piece.table[0], y + piece.table[1]];
  }
  return table.toTable(edge ? edge.at : p);
}
