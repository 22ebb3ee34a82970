/** Sewing by clicks: two edges, or two sets of them, and which way the seam runs. */
import { edit } from "../scene/link";
import { pieceKey, state, type EdgeSpot, type Sewing } from "../state";
import type { EdgeAt } from "./model";

/** nearer to an end than this share of the edge, and that end is meant */
const END = 0.35;

/** An edge was clicked; more: it joins the side that is being gathered. */
export function clickEdge(spot: EdgeSpot, share: number, more: boolean): void {
  const before = state.sewing?.garment === spot.garment ? state.sewing : null;
  const at: EdgeAt = { piece: spot.piece, edge: spot.edge, reversed: false };
  if (!before) state.sewing = { garment: spot.garment, a: [at], b: [], side: "a", clicked: [share], turned: false };
  else if (has(before, at)) state.sewing = without(before, at);
  else if (more) state.sewing = before.side === "a" ? { ...before, a: [...before.a, at] } : withSecond(before, at, share);
  else {
    state.sewing = withSecond(before, at, share);
    return finish();
  }
  state.update();
}

/** From gathering the first side to gathering the second; from there it is sewn. */
export function nextSide(): void {
  const now = state.sewing;
  if (!now) return;
  if (now.b.length) return finish();
  state.sewing = { ...now, side: "b" };
  state.update();
}

export function turnSewing(): void {
  if (state.sewing) state.sewing = { ...state.sewing, turned: !state.sewing.turned };
  state.update();
}

export function dropSewing(): void {
  state.sewing = null;
  state.update();
}

/** Both sides as they would be sewn now. */
export function asSewn(sewing: Sewing): { a: EdgeAt[]; b: EdgeAt[] } {
  const a = chain(sewing.garment, sewing.a), b = chain(sewing.garment, sewing.b);
  return { a, b: runsAgainst(sewing) !== sewing.turned ? reversed(b) : b };
}

function finish(): void {
  const now = state.sewing;
  state.sewing = null;
  if (now?.a.length && now.b.length) {
    edit({ type: "sew", garment: now.garment, ...asSewn(now) });
    // the new seam is the last one: R turns it
    state.select({ garment: now.garment, seam: state.project?.garments[now.garment]?.seams.length ?? null });
  }
  state.update();
}

/** Pieces are drawn counter-clockwise, so that neighbours' edges run against each other; clicks near ends say otherwise. */
function runsAgainst(sewing: Sewing): boolean {
  const [a, b] = sewing.clicked;
  const end = (share: number | undefined): number => (share === undefined ? 0 : share < END ? -1 : share > 1 - END ? 1 : 0);
  const single = sewing.a.length === 1 && sewing.b.length === 1, [first, second] = [end(a), end(b)];
  return single && first && second ? first !== second : true;
}

const same = (a: EdgeAt, b: EdgeAt): boolean => a.piece === b.piece && a.edge === b.edge;
const has = (sewing: Sewing, at: EdgeAt): boolean => [...sewing.a, ...sewing.b].some((one) => same(one, at));

function without(sewing: Sewing, at: EdgeAt): Sewing | null {
  const rest = { ...sewing, a: sewing.a.filter((one) => !same(one, at)), b: sewing.b.filter((one) => !same(one, at)) };
  return rest.a.length ? rest : null;
}

const withSecond = (sewing: Sewing, at: EdgeAt, share: number): Sewing => ({ ...sewing, side: "b", b: [...sewing.b, at], clicked: [sewing.clicked[0] ?? 0.5, share] });

const reversed = (side: EdgeAt[]): EdgeAt[] => [...side].reverse().map((at) => ({ ...at, reversed: !at.reversed }));

/** Edges of one piece in the order in which they follow each other, whatever the order of the clicks. */
function chain(garment: number, side: readonly EdgeAt[]): EdgeAt[] {
  const piece = side[0] && state.pieces.get(pieceKey(garment, side[0].piece));
  if (!piece || side.some((at) => at.piece !== piece.piece)) return [...side];
  const numbers = side.map((at) => at.edge), first = numbers.find((n) => !numbers.includes((n + piece.edges.length - 1) % piece.edges.length)) ?? numbers[0]!;
  const place = (n: number): number => (n - first + piece.edges.length) % piece.edges.length;
  return [...side].sort((x, y) => place(x.edge) - place(y.edge));
}
