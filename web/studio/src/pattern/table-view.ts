/** The cutting table drawn: pieces, seams in their colours with numbers and arrows, handles, measures. */
import { nothing, svg, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { said } from "../quantity";
import { state } from "../state";
import { t } from "../texts";
import { along, type EdgeAt, lengthOf, outline, type PieceSeen, type Point } from "./model";
import { asSewn } from "./sew";
import { table } from "./table";
import { marks, placeOf, pointerDown, pointerMove, pointerUp } from "./table-tools";

const join = (points: readonly Point[]): string => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

let watched: ResizeObserver | null = null;

function watch(element?: Element): void {
  watched?.disconnect();
  watched = null;
  if (!element) return;
  watched = new ResizeObserver(([entry]) => {
    const { width, height } = entry!.contentRect;
    if (!width || !height) return;
    table.resize(width, height);
    state.update();
  });
  watched.observe(element);
}

export function tableView(menu: (event: MouseEvent) => void): TemplateResult {
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    if (event.shiftKey) table.pan(-event.deltaY, 0);
    else table.zoom(Math.exp(-Math.max(-200, Math.min(event.deltaY, 200)) * 0.0015), placeOf(event, event.currentTarget as Element));
    state.update();
  };
  const leave = (): void => {
    state.hover = null;
    state.update();
  };
  const pieces = state.allPieces();
  return svg`<svg class="table tool-${state.tool}" role="application" tabindex="0" aria-label=${t("table.label", { count: pieces.length })}
    @pointerdown=${pointerDown} @pointermove=${pointerMove} @pointerup=${pointerUp} @pointercancel=${pointerUp} @pointerleave=${leave} @wheel=${wheel} @contextmenu=${menu} ${ref(watch)}>
    ${grid()}
    ${pieces.map(pieceView)}
    ${(state.project?.garments ?? []).map((garment, g) => garment.seams.map((seam, number) => seamView(g, number, seam.colour, seam.a, seam.b)))}
    ${state.proposal ? proposalView() : nothing}
    ${state.sewing ? sewingView() : nothing}
    ${pieces.map(handles)}
    ${extras()}
  </svg>` as TemplateResult;
}

/** Lines 10 cm apart, and 1 cm where there is room. */
function grid(): TemplateResult[] {
  const lines = [0.01, 0.1].filter((step) => step * table.scale >= 8).flatMap((step) => {
    const path: string[] = [], [left, top] = table.toTable([0, 0]), [right, bottom] = table.toTable([table.width, table.height]);
    for (let x = Math.ceil(left / step) * step; x < right; x += step) path.push(`M${table.toScreen([x, 0])[0].toFixed(1)} 0V${table.height}`);
    for (let y = Math.ceil(bottom / step) * step; y < top; y += step) path.push(`M0 ${table.toScreen([0, y])[1].toFixed(1)}H${table.width}`);
    return [svg`<path class="grid ${step < 0.05 ? "fine" : ""}" d=${path.join("")}></path>` as TemplateResult];
  });
  return lines;
}

function pieceView(piece: PieceSeen): TemplateResult {
  const points = table.onScreen(piece, outline(piece)), chosen = isChosen(piece);
  const [x, y] = middle(points), wide = extent(points, 0), roomy = wide > 40 && extent(points, 1) > 48;
  return svg`<g class="piece ${chosen ? "chosen" : ""} ${piece.place ? "" : "unplaced"}">
    <polygon points=${join(points)} fill=${piece.colour || "#b3b3b8"}></polygon>
    ${piece.lines.map((line) => svg`<polyline class="line ${line.kind}" points=${join(table.onScreen(piece, line.points))}></polyline>`)}
    ${roomy ? grainView(piece, [x, y], wide) : nothing}
    ${piece.notches.map((notch) => notchView(piece, notch.edge, notch.fraction))}
    ${roomy || (chosen && wide > 40) ? svg`<text class="name" x=${x} y=${roomy ? y - 10 : y + 24}>${shortened(piece.piece, wide)}</text>` : nothing}
    ${roomy && wide > 70 && (chosen || state.wishes.lengths) ? svg`<text class="figure" x=${x} y=${y + 10}>${areaText(piece.area)}</text>` : nothing}
  </g>` as TemplateResult;
}

const isChosen = (piece: PieceSeen): boolean => state.selection.garment === piece.garment && state.selection.pieces.includes(piece.piece);

function areaText(area: number): string {
  return state.wishes.units === "in" ? `${(area / 0.0254 ** 2).toFixed(0)}\u202fsq in` : `${(area * 1e4).toFixed(0)}\u202fcm²`;
}

/** A name no wider than its piece; the whole one stands in the properties. */
function shortened(name: string, wide: number): string {
  const most = Math.max(4, Math.floor(wide / 8));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

const extent = (points: readonly Point[], axis: 0 | 1): number => Math.max(...points.map((p) => p[axis])) - Math.min(...points.map((p) => p[axis]));

function middle(points: readonly Point[]): Point {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}

/** An arrow along the warp. */
function grainView(piece: PieceSeen, [x, y]: Point, wide: number): TemplateResult {
  const half = Math.min(28, wide / 4), turn = (-piece.grain * 180) / Math.PI;
  return svg`<path class="grain" transform="translate(${x} ${y + 30}) rotate(${turn})" d="M0 ${half}V${-half}M-4 ${-half + 6}L0 ${-half}L4 ${-half + 6}M-4 ${half - 6}L0 ${half}L4 ${half - 6}"></path>` as TemplateResult;
}

function notchView(piece: PieceSeen, edge: number, fraction: number): TemplateResult | typeof nothing {
  const line = piece.edges[edge]?.line;
  if (!line) return nothing;
  const { at, way } = along(table.onScreen(piece, line), fraction);
  return svg`<path class="notch" d="M${at[0]} ${at[1]}L${at[0] + 8 * way[1]} ${at[1] - 8 * way[0]}"></path>` as TemplateResult;
}

/** One seam: both its sides in its colour; lit where the pointer is over one of them. */
function seamView(garment: number, number: number, colour: string, a: readonly EdgeAt[], b: readonly EdgeAt[], kind = ""): TemplateResult {
  const { hover, selection } = state;
  const touches = (at: EdgeAt): boolean => hover !== null && hover.garment === garment && hover.piece === at.piece && hover.edge === at.edge;
  const lit = [...a, ...b].some(touches) || (selection.garment === garment && selection.seam === number);
  return svg`<g class="seam ${lit ? "lit" : ""} ${kind}" stroke=${colour} fill=${colour}>
    ${[a, b].map((side) => sideView(garment, number, side, lit))}
  </g>` as TemplateResult;
}

function sideView(garment: number, number: number, side: readonly EdgeAt[], lit: boolean): TemplateResult[] {
  return side.flatMap((at, i) => {
    const piece = state.piece(garment, at.piece), line = piece?.edges[at.edge]?.line;
    if (!piece || !line) return [];
    const points = table.onScreen(piece, at.reversed ? [...line].reverse() : line), long = lengthOf(points);
    const spot = along(points, 0.5), out = 11;
    return [svg`<polyline points=${join(points)}></polyline>
      ${long > 36 || lit ? arrow(points) : nothing}
      ${i === 0 && (long > 30 || lit) ? svg`<text x=${spot.at[0] - out * spot.way[1] * inwards(piece, at)} y=${spot.at[1] + out * spot.way[0] * inwards(piece, at)}>${number + 1}</text>` : nothing}` as TemplateResult];
  });
}

/** Numbers stand inside the piece, whichever way round it was drawn and the seam runs. */
function inwards(piece: PieceSeen, at: EdgeAt): number {
  const points = outline(piece);
  const turn = points.reduce((sum, p, i) => sum + p[0] * points[(i + 1) % points.length]![1] - p[1] * points[(i + 1) % points.length]![0], 0);
  return turn > 0 === at.reversed ? 1 : -1;
}

function arrow(points: readonly Point[]): TemplateResult {
  const { at, way } = along(points, 0.72), [x, y] = at, [u, v] = way;
  return svg`<path class="arrow" d="M${x + 7 * u} ${y + 7 * v}L${x - 5 * v} ${y + 5 * u}L${x + 5 * v} ${y - 5 * u}Z"></path>` as TemplateResult;
}

function proposalView(): TemplateResult[] {
  const proposal = state.proposal!, at = new Map(proposal.pieces.map((piece) => [piece.piece, piece]));
  const added = proposal.pieces.filter((piece) => !state.piece(proposal.garment, piece.piece));
  const outlines = added.map((piece) => svg`<g class="piece unplaced"><polygon points=${join(table.onScreen(piece, outline(piece)))} fill="none"></polygon></g>` as TemplateResult);
  return outlines.concat(proposal.seams.map((seam, i) => {
    const off = proposal.off.has(i);
    return svg`<g class="seam proposed ${off ? "off" : ""} ${seam.unsure ? "unsure" : ""}">
      ${[...seam.a, ...seam.b].map((side) => {
        const piece = at.get(side.piece), line = piece?.edges[side.edge]?.line;
        if (!piece || !line) return nothing;
        const points = table.onScreen(piece, side.reversed ? [...line].reverse() : line), spot = along(points, 0.5), short = lengthOf(points) < 26;
        return svg`<polyline points=${join(points)}></polyline>${off || short ? nothing : svg`${arrow(points)}<text x=${spot.at[0]} y=${spot.at[1]}>${i + 1}</text>`}`;
      })}
    </g>` as TemplateResult;
  }));
}

function sewingView(): TemplateResult {
  const { a, b } = asSewn(state.sewing!), garment = state.sewing!.garment;
  return svg`<g class="seam lit sewing">${[a, b].map((side) => sideView(garment, state.project?.garments[garment]?.seams.length ?? 0, side, true))}</g>` as TemplateResult;
}

/** Corners and curve handles of what is selected, and lengths of its edges. */
function handles(piece: PieceSeen): TemplateResult | typeof nothing {
  const chosen = isChosen(piece), { selection, hover, tool } = state;
  const shaping = tool === "point" || tool === "curve";
  const corners = chosen || shaping ? table.onScreen(piece, piece.corners) : [];
  const lit = piece.edges.flatMap((edge, i) => {
    const on = chosen && selection.edges.includes(i), over = hover?.garment === piece.garment && hover.piece === piece.piece && hover.edge === i;
    return on || over ? [svg`<polyline class="edge ${on ? "chosen" : "over"} ${edge.held ? "held" : ""}" points=${join(table.onScreen(piece, edge.line))}></polyline>` as TemplateResult] : [];
  });
  return svg`${piece.edges.map((edge) => (edge.held ? svg`<polyline class="edge held" points=${join(table.onScreen(piece, edge.line))}></polyline>` : nothing))}
    ${lit}
    ${chosen ? selection.edges.map((i) => controlView(piece, i)) : nothing}
    ${corners.map(([x, y], i) => svg`<circle class="corner ${chosen && selection.corners.includes(i) ? "chosen" : ""}" cx=${x} cy=${y} r="4"></circle>`)}
    ${lengthLabels(piece, chosen)}` as TemplateResult;
}

function controlView(piece: PieceSeen, number: number): TemplateResult | typeof nothing {
  const edge = piece.edges[number];
  if (!edge || state.tool !== "curve" || edge.kind === "line") return nothing;
  const controls = table.onScreen(piece, edge.controls), [a, b] = table.onScreen(piece, [piece.corners[edge.start]!, piece.corners[edge.end]!]);
  const arms = edge.kind === "cubic" ? [[a!, controls[0]!], [b!, controls[1]!]] : edge.kind === "quadratic" ? [[a!, controls[0]!], [b!, controls[0]!]] : [];
  return svg`${arms.map((arm) => svg`<polyline class="arm" points=${join(arm)}></polyline>`)}
    ${controls.map(([x, y]) => svg`<rect class="handle" x=${x - 4} y=${y - 4} width="8" height="8"></rect>`)}` as TemplateResult;
}

/** Of edges that are selected, under the pointer, beside a corner that moves, or of all where that is wished. */
function lengthLabels(piece: PieceSeen, chosen: boolean): (TemplateResult | typeof nothing)[] {
  const { selection, hover, wishes } = state;
  return piece.edges.map((edge, i) => {
    const beside = chosen && (selection.edges.includes(i) || selection.corners.includes(edge.start) || selection.corners.includes(edge.end));
    const over = hover?.garment === piece.garment && hover.piece === piece.piece && hover.edge === i;
    const points = table.onScreen(piece, edge.line);
    if (!beside && !over && !(wishes.lengths && lengthOf(points) > 50)) return nothing;
    const spot = along(points, 0.5), way = -inwards(piece, { piece: piece.piece, edge: i, reversed: false });
    return svg`<text class="length" x=${spot.at[0] - 14 * spot.way[1] * way} y=${spot.at[1] + 14 * spot.way[0] * way}>${said(edge.length, state.unit)}</text>` as TemplateResult;
  });
}

function extras(): TemplateResult {
  const line = ([a, b]: [Point, Point]): [Point, Point] => [table.toScreen(a), table.toScreen(b)];
  const tape = marks.tape && line(marks.tape);
  const box = marks.box && { x: Math.min(marks.box[0][0], marks.box[1][0]), y: Math.min(marks.box[0][1], marks.box[1][1]), w: Math.abs(marks.box[0][0] - marks.box[1][0]), h: Math.abs(marks.box[0][1] - marks.box[1][1]) };
  return svg`${marks.guides.map((guide) => svg`<polyline class="guide" points=${join(line(guide))}></polyline>`)}
    ${box ? svg`<rect class="box" x=${box.x} y=${box.y} width=${box.w} height=${box.h}></rect>` : nothing}
    ${tape ? svg`<polyline class="tape" points=${join(tape)}></polyline>
      <text class="length" x=${(tape[0][0] + tape[1][0]) / 2} y=${(tape[0][1] + tape[1][1]) / 2 - 10}>${said(lengthOf(marks.tape!), state.unit)}</text>` : nothing}` as TemplateResult;
}
