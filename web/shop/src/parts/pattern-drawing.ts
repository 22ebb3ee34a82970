/** A pattern as it lies on the table: pieces, seams as basting thread with numbers, faults lit up. */
import { svg, type TemplateResult } from "lit-html";
import type { EdgeSpot, PatternDraft, PieceOutline, SeamProposal } from "../../../shared/api";

export interface Drawn {
  draft: PatternDraft;
  /** seams that are taken off */
  off: Set<number>;
  /** seam under the pointer or with the focus */
  lit: number | undefined;
  /** pieces that a problem speaks of */
  wrong: Set<string>;
  label: string;
}

interface Placed {
  piece: PieceOutline;
  x: number;
  y: number;
}

const GAP = 0.05;
const WIDEST = 1.6;

/** Pieces side by side in rows, tallest first; y grows downwards. */
function lay(pieces: PieceOutline[]): { placed: Placed[]; width: number; height: number } {
  const size = (piece: PieceOutline) => {
    const xs = piece.points.map(([x]) => x);
    const ys = piece.points.map(([, y]) => y);
    const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    return { left, top, width: right - left, height: top - bottom };
  };
  const sized = pieces.map((piece) => ({ piece, ...size(piece) })).sort((a, b) => b.height - a.height);
  const placed: Placed[] = [];
  let [x, y, row, width] = [0, 0, 0, 0];
  for (const one of sized) {
    if (x && x + one.width > WIDEST) [x, y, row] = [0, y + row + GAP, 0];
    placed.push({ piece: one.piece, x: x - one.left, y: y + one.top });
    x += one.width + GAP;
    row = Math.max(row, one.height);
    width = Math.max(width, x - GAP);
  }
  return { placed, width, height: y + row };
}

/** The point halfway along a line. */
function halfway(points: [number, number][]): [number, number] | undefined {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - (points[i]?.[0] ?? x), y - (points[i]?.[1] ?? y)));
  let left = lengths.reduce((sum, one) => sum + one, 0) / 2;
  for (const [i, one] of lengths.entries()) {
    const [a, b] = [points[i], points[i + 1]];
    if (a && b && left <= one) return [a[0] + ((b[0] - a[0]) * left) / one, a[1] + ((b[1] - a[1]) * left) / one];
    left -= one;
  }
  return points[0];
}

export function patternDrawing({ draft, off, lit, wrong, label }: Drawn): TemplateResult {
  const { placed, width, height } = lay(draft.pieces);
  const where = new Map(placed.map((one) => [one.piece.name, one]));
  const at = (one: Placed, index: number): [number, number] => {
    const [x, y] = one.piece.points[index] ?? [0, 0];
    return [one.x + x, one.y - y];
  };
  const text = Math.max(width, height) / 45;
  const side = (spot: EdgeSpot): [number, number][] => {
    const one = where.get(spot.piece);
    return one ? (one.piece.edges[spot.edge] ?? []).map((index) => at(one, index)) : [];
  };
  const seam = (proposal: SeamProposal, i: number): TemplateResult => {
    const kind = `seam${off.has(i) ? " off" : ""}${lit === i ? " lit" : ""}`;
    return svg`${[...proposal.a, ...proposal.b].map((spot) => {
      const points = side(spot);
      const middle = halfway(points);
      return svg`<polyline class=${kind} points=${points.map((p) => p.join()).join(" ")}></polyline>
        ${middle && !off.has(i) ? svg`<text x=${middle[0]} y=${middle[1]} font-size=${text}>${i + 1}</text>` : ""}`;
    })}`;
  };
  const box = `${-GAP} ${-GAP} ${width + 2 * GAP} ${height + 2 * GAP}`;
  return svg`<svg class="pattern" viewBox=${box} role="img" aria-label=${label}>
    ${placed.map((one) => {
      const points = one.piece.points.map((_, i) => at(one, i).join()).join(" ");
      return svg`<polygon class="piece ${wrong.has(one.piece.name) ? "wrong" : ""}" points=${points}><title>${one.piece.name}</title></polygon>`;
    })}
    ${draft.seams.map(seam)}
  </svg>`;
}
