/** The pattern: garments as layers, and what is selected of them. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { PieceSeen, SeamSeen } from "../../../shared/studio-messages";
import { run } from "../commands";
import { act, choiceRow, controlRow, numberRow, row, section, textRow } from "../parts/fields";
import { icon } from "../parts/icon";
import { asSewn, dropSewing, nextSide, turnSewing } from "../pattern/sew";
import { following } from "../project";
import { said, UNITS } from "../quantity";
import { attempt, edit, link } from "../scene/link";
import { state } from "../state";
import { t, word } from "../texts";

export const PLACES = ["front", "back", "left", "right", "left_arm", "right_arm", "left_leg", "right_leg", "neck", "head"] as const;

export function patternPanel(): TemplateResult {
  const { selection, project } = state;
  if (!project) return html`<div class="bones"></div>`;
  const garment = state.garment(), piece = selection.pieces.length === 1 ? state.piece(selection.garment, selection.pieces[0]!) : undefined;
  const seam = selection.seam !== null ? garment?.seams[selection.seam] : undefined;
  return html`
    ${state.sewing ? sewingSection() : nothing}
    ${state.proposal ? proposalSection() : nothing}
    ${seam ? seamSection(seam, selection.seam!) : nothing}
    ${piece && selection.edges.length ? edgeSection(piece, selection.edges) : nothing}
    ${piece && selection.corners.length ? cornerSection(piece, selection.corners) : nothing}
    ${piece ? pieceSection(piece) : selection.pieces.length > 1 ? manySection() : nothing}
    ${garmentsSection()}
    ${garment && !piece && !seam ? draftSection() : nothing}
    ${garment ? seamsSection() : nothing}`;
}

// ---------------------------------------------------------------------------- what is selected

function pieceSection(piece: PieceSeen): TemplateResult {
  const on = { garment: piece.garment, piece: piece.piece }, around = piece.edges.reduce((sum, edge) => sum + edge.length, 0);
  return section(t("piece.title", { name: piece.piece }), html`
    ${textRow(t("piece.name"), piece.piece, (name) => name.trim() && void rename(piece, name.trim()))}
    ${choiceRow(t("piece.place"), [...(piece.place ? [] : [["", t("piece.place.none")] as const]), ...(placeName(piece.place) || !piece.place ? [] : [[piece.place, word(`place.${piece.place}`, piece.place)] as const]), ...PLACES.map((name) => [name, t(`place.${name}`)] as const)], piece.place, (place) => placeName(place) && void attempt({ type: "place_piece", ...on, place: place as "front" }), t("piece.place.tip"))}
    ${numberRow(t("piece.grain"), piece.grain, { unit: UNITS.degree, min: -Math.PI, max: Math.PI, help: t("piece.grain.tip"), change: (angle, done) => done && edit({ type: "set_grain", ...on, angle }) })}
    ${row(t("piece.area"), html`<span class="figure">${(piece.area * 1e4).toFixed(0)}\u202fcm²</span>`)}
    ${row(t("piece.around"), html`<span class="figure">${said(around, state.unit)}</span>`)}
    <div class="acts">${["piece.mirror", "piece.copy", "piece.twin", "piece.unfold", "piece.split", "piece.delete"].map(commandButton)}</div>
    ${piece.lines.length ? piece.lines.map((line, i) => row(word(`line.${line.kind}`, line.kind), html`<button class="small bare" aria-label=${t("delete")} @click=${() => edit({ type: "delete_line", ...on, line: i })}>${icon("remove")}</button>`)) : nothing}`);
}

/** The studio says what a piece goes round; front and back are told by the list's own names. */
const placeName = (place: string): string => (PLACES.some((name) => name === place) ? place : "");

async function rename(piece: PieceSeen, name: string): Promise<void> {
  if (name === piece.piece) return;
  if (await attempt({ type: "rename_piece", garment: piece.garment, piece: piece.piece, name })) state.select({ garment: piece.garment, pieces: [name] });
}

function commandButton(id: string): TemplateResult {
  const one = COMMANDS[id]!;
  return act(t(one.text), one.icon, () => run(id));
}

const COMMANDS: Record<string, { text: Parameters<typeof t>[0]; icon: Parameters<typeof icon>[0] }> = {
  "piece.mirror": { text: "piece.mirror", icon: "mirror" }, "piece.copy": { text: "piece.copy", icon: "copy" }, "piece.twin": { text: "piece.twin", icon: "compare" },
  "piece.unfold": { text: "piece.unfold", icon: "open" }, "piece.split": { text: "piece.split", icon: "cut" }, "piece.delete": { text: "delete", icon: "remove" },
};

function edgeSection(piece: PieceSeen, edges: readonly number[]): TemplateResult {
  const on = { garment: piece.garment, piece: piece.piece }, first = edges[0]!, edge = piece.edges[first];
  if (!edge) return html``;
  const total = edges.reduce((sum, e) => sum + (piece.edges[e]?.length ?? 0), 0);
  const kinds = ["line", "quadratic", "cubic", "arc"] as const;
  const [a, b] = [piece.corners[edge.start]!, piece.corners[edge.end]!];
  const bent = (share: number): [number, number] => [a[0] + share * (b[0] - a[0]) - 0.08 * (b[1] - a[1]), a[1] + share * (b[1] - a[1]) + 0.08 * (b[0] - a[0])];
  const shapes = { line: [], quadratic: [bent(0.5)], cubic: [bent(1 / 3), bent(2 / 3)], arc: [bent(0.5)] };
  return section(edges.length > 1 ? t("edge.many", { count: edges.length }) : t("edge.title", { name: edge.name || String(first + 1) }), html`
    ${edges.length > 1 ? row(t("edge.length"), html`<span class="figure">${said(total, state.unit)}</span>`) : html`
      ${numberRow(t("edge.length"), edge.length, { unit: state.unit, min: 0.001, max: 20, help: t("edge.length.tip"), change: (length, done) => done && edit({ type: "set_length", ...on, edge: first, length }) })}
      ${choiceRow(t("edge.kind"), [...kinds.map((kind) => [kind, t(`edge.${kind}`)] as const), ...(edge.kind === "polyline" ? [["polyline", t("edge.polyline")] as const] : [])], edge.kind, (kind) => kind !== "polyline" && edit({ type: "set_curve", ...on, edge: first, kind: kind as "line", controls: shapes[kind as "line"] }))}`}
    ${choiceRow(t("edge.held"), [["", t("edge.held.none")], ["pin", t("edge.held.pin")], ["elastic", t("edge.held.elastic")]], edge.held, (kind) => { for (const e of edges) edit(kind ? { type: "hold_edge", ...on, edge: e, kind: kind as "pin", ratio: kind === "elastic" ? 0.9 : 1 } : { type: "free_edge", ...on, edge: e }); }, t("edge.held.tip"))}
    ${movingRow((by) => edit({ type: "move_edges", ...on, edges: [...edges], by }))}
    <div class="acts">
      ${act(t("edge.point"), "plus", () => edit({ type: "add_point", ...on, edge: first, fraction: 0.5 }), { tip: t("edge.point.tip") })}
      ${act(t("edge.notch"), "check", () => edit({ type: "add_notch", ...on, edge: first, fraction: 0.5 }), { tip: t("edge.notch.tip") })}
      ${act(t("edge.dart"), "dart", () => edit({ type: "add_dart", ...on, edge: first, fraction: 0.5, width: 0.03, depth: Math.min(0.1, 0.4 * edge.length) }), { tip: t("edge.dart.tip") })}
    </div>
    ${edge.seams.length ? row(t("edge.seams"), html`<span class="acts">${edge.seams.map((seam) => html`<button class="small" @click=${() => state.select({ garment: piece.garment, seam })}>${t("seam.number", { number: seam + 1 })}</button>`)}</span>`) : nothing}
    ${piece.notches.map((notch, i) => (edges.includes(notch.edge) ? row(t("edge.notch.at", { at: Math.round(100 * notch.fraction) }), html`<button class="small bare" aria-label=${t("delete")} @click=${() => edit({ type: "delete_notch", ...on, notch: i })}>${icon("remove")}</button>`) : nothing))}`);
}

function cornerSection(piece: PieceSeen, corners: readonly number[]): TemplateResult {
  const on = { garment: piece.garment, piece: piece.piece }, first = corners[0]!, at = piece.corners[first];
  if (!at) return html``;
  const set = (axis: 0 | 1) => (value: number, done: boolean): void => {
    if (done) edit({ type: "move_points", ...on, points: [...corners], by: axis ? [0, value - at[1]] : [value - at[0], 0] });
  };
  return section(corners.length > 1 ? t("corner.many", { count: corners.length }) : t("corner.title", { number: first + 1 }), html`
    ${corners.length > 1 ? movingRow((by) => edit({ type: "move_points", ...on, points: [...corners], by })) : html`
      ${numberRow(t("corner.across"), at[0], { unit: state.unit, change: set(0) })}
      ${numberRow(t("corner.up"), at[1], { unit: state.unit, change: set(1) })}`}
    ${act(t("corner.delete"), "remove", () => { for (const point of [...corners].sort((x, y) => y - x)) edit({ type: "delete_point", ...on, point }); state.select({ garment: piece.garment, pieces: [piece.piece] }); })}`);
}

/** Two numbers that shift what is selected, and are nought again afterwards. */
function movingRow(move: (by: [number, number]) => void): TemplateResult {
  const field = (label: string, axis: 0 | 1) => html`<number-field label=${label} class="short" data-tip=${label} .unit=${state.unit} .value=${0}
    @value=${(e: CustomEvent<{ value: number; done: boolean }>) => {
      const field_ = e.target as HTMLElement & { value: number };
      if (!e.detail.done || !e.detail.value) return;
      move(axis ? [0, e.detail.value] : [e.detail.value, 0]);
      field_.value = 0;
    }}></number-field>`;
  return row(t("move.by"), html`<span class="pair">${field(t("move.across"), 0)}${field(t("move.up"), 1)}</span>`, t("move.tip"));
}

function manySection(): TemplateResult {
  return section(t("piece.many", { count: state.selection.pieces.length }), html`<div class="acts">${["piece.mirror", "piece.copy", "piece.delete"].map(commandButton)}</div>`);
}

function seamSection(seam: SeamSeen, number: number): TemplateResult {
  const share = seam.length_a ? seam.length_b / seam.length_a - 1 : 0;
  return section(t("seam.number", { number: number + 1 }), html`
    ${row(t("seam.sides"), html`<span class="figure">${said(seam.length_a, state.unit)} · ${said(seam.length_b, state.unit)}</span>`)}
    ${Math.abs(share) > 0.005 ? row(t("seam.ease"), html`<span class="figure">${share > 0 ? "+" : ""}${(100 * share).toFixed(1)}\u202f%</span>`, t("seam.ease.tip")) : nothing}
    ${seam.warning ? html`<p class="warning">${seam.warning}</p>` : nothing}
    <div class="acts">${act(t("seam.reverse"), "swap", () => run("seam.reverse"), { key: "R" })} ${act(t("seam.unsew"), "unlink", () => run("seam.unsew"), { key: "Delete" })}</div>`);
}

// ---------------------------------------------------------------------------- sewing

function sewingSection(): TemplateResult {
  const now = state.sewing!, { a, b } = asSewn(now);
  const total = (side: typeof a): string => said(side.reduce((sum, at) => sum + (state.piece(now.garment, at.piece)?.edges[at.edge]?.length ?? 0), 0), state.unit);
  return section(t("sewing.title"), html`
    ${row(t("sewing.first"), html`<span class="figure">${t("sewing.edges", { count: a.length })} · ${total(a)}</span>`)}
    ${row(t("sewing.second"), html`<span class="figure">${b.length ? `${t("sewing.edges", { count: b.length })} · ${total(b)}` : t("sewing.click")}</span>`)}
    <p class="hint">${t(now.side === "a" ? "sewing.hint.a" : "sewing.hint.b")}</p>
    <div class="acts">${act(t(now.b.length ? "sewing.sew" : "sewing.next"), "seam", nextSide, { main: true, key: "Enter" })} ${act(t("seam.reverse"), "swap", turnSewing, { key: "R" })} ${act(t("cancel"), "close", dropSewing, { key: "Esc" })}</div>`);
}

function proposalSection(): TemplateResult {
  const proposal = state.proposal!, toggle = (i: number) => (): void => {
    if (!proposal.off.delete(i)) proposal.off.add(i);
    state.update();
  };
  const take = async (): Promise<void> => {
    if (await attempt({ type: "propose_seams", garment: proposal.garment, but: [...proposal.off] })) state.proposal = null;
    state.update();
  };
  const drop = (): void => {
    state.proposal = null;
    state.update();
  };
  return section(t("proposal.title"), html`
    <p class="hint">${t("proposal.hint")}</p>
    <ul class="list">${proposal.seams.map((seam, i) => html`<li><label class="seam-line ${seam.unsure ? "unsure" : ""}">
      <input type="checkbox" .checked=${!proposal.off.has(i)} @change=${toggle(i)} /><span class="number">${i + 1}</span>
      <span>${names(seam.a)} – ${names(seam.b)}<span class="hint">${seam.remark}</span></span></label></li>`)}</ul>
    ${proposal.notes.map((note) => html`<p class="hint">${note}</p>`)}
    <div class="acts">${act(t("proposal.take"), "check", () => void take(), { main: true })} ${act(t("cancel"), "close", drop)}</div>`);
}

const names = (side: readonly { piece: string; edge: number }[]): string => [...new Set(side.map((at) => at.piece))].join(" + ");

function seamsSection(): TemplateResult {
  const { garment } = state.selection, seams = state.garment()?.seams ?? [];
  const propose = (): void => void attempt({ type: "ask_proposal", garment });
  return section(t("seams.title", { count: seams.length }), html`
    <ul class="list">${seams.map((seam, i) => html`<li><button class="line-button ${state.selection.seam === i ? "chosen" : ""}" @click=${() => state.select({ garment, seam: i })}>
      <svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4" fill=${seam.colour}></circle></svg>
      <span class="number">${i + 1}</span><span>${names(seam.a)} – ${names(seam.b)}</span>${seam.warning ? html`<span class="warning-sign" data-tip=${seam.warning}>!</span>` : nothing}</button></li>`)}</ul>
    ${seams.length ? nothing : html`<p class="hint">${t("seams.none")}</p>`}
    <div class="acts">${act(t("seams.propose"), "confirm", propose, { tip: t("seams.propose.tip") })}</div>`, seams.length < 12);
}

// ---------------------------------------------------------------------------- garments

let dragged: number | null = null;

function garmentsSection(): TemplateResult {
  const garments = state.project!.garments;
  const reorder = (to: number): void => {
    if (dragged === null || dragged === to) return;
    const order = garments.map((_, i) => i);
    order.splice(to, 0, ...order.splice(dragged, 1));
    void attempt({ type: "order_garments", order });
  };
  const key = (i: number) => (event: KeyboardEvent): void => {
    const way = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    if (!way || i + way < 0 || i + way >= garments.length) return;
    event.preventDefault();
    dragged = i;
    reorder(i + way);
  };
  return section(t("garments.title"), html`
    <ul class="list layers">${garments.map((garment, i) => html`<li draggable="true" @dragstart=${() => (dragged = i)} @dragover=${(e: Event) => e.preventDefault()} @drop=${(e: Event) => { e.preventDefault(); reorder(i); }}>
      <button class="line-button ${state.selection.garment === i ? "chosen" : ""}" data-tip=${t("garments.order.tip")} @keydown=${key(i)} @click=${() => state.select({ garment: i })}>
        <svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${garment.colour || "#b3b3b8"}></rect></svg>
        <span>${garment.name}</span><span class="hint">${t("garments.pieces", { count: garment.pieces.length })}</span></button>
      <button class="small bare" aria-label=${t("garments.delete", { name: garment.name })} data-tip=${t("delete")} @click=${() => edit({ type: "delete_garment", garment: i })}>${icon("remove")}</button></li>`)}</ul>
    ${garments.length ? nothing : html`<p class="hint">${t("garments.none")}</p>`}
    ${garments.flatMap((garment) => garment.warnings).map((text) => html`<p class="warning">${text}</p>`)}
    ${choiceRow(t("garments.draft"), [["", t("garments.draft.choose")], ...(state.hello?.drafts ?? []).map((draft) => [draft.name, word(`draft.${draft.name}`, draft.name)] as const)], "", (draft) => draft && void attempt({ type: "add_draft", draft }), t("garments.draft.tip"))}
    <div class="acts">${act(t("garments.new"), "piece", () => void attempt({ type: "new_garment", name: t("garments.new.name"), width: 0.5, height: 0.6 }))} ${act(t("garments.open"), "folder", () => run("file.open"))}
      ${garments.length ? act(t("garments.piece"), "plus", () => run("piece.add")) : nothing}</div>`);
}

const style: Record<string, number | boolean | string> = {};
const drafting = following(style, (group) => ({ type: "set_draft", garment: state.selection.garment, style: { ...style }, group }));

function draftSection(): TemplateResult | typeof nothing {
  const garment = state.garment()!, draft = state.hello?.drafts.find((one) => one.name === garment.draft);
  if (!draft) return nothing;
  return section(t("draft.title", { name: word(`draft.${draft.name}`, draft.name) }), html`
    ${garment.edited ? html`<p class="warning">${t("draft.edited")}</p>` : nothing}
    ${draft.controls.map((control) => controlRow(control, style[control.name] ?? garment.style[control.name], (value) => {
      style[control.name] = value;
      drafting.change();
    }))}`);
}

export const undress = (): void => link.send({ type: "reset" });
