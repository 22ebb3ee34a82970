/** The table of commands: what each does. Buttons, keys, menus and the palette take them from here. */
import { addCommands, type Command } from "./commands";
import { openExport, openHelp, openProjects, openScript } from "./panels/dialogs";
import { draw, showOverlay, toggleCompare } from "./panels/see";
import { air, openScene } from "./panels/simulate";
import { startTour } from "./panels/tour";
import type { IconName } from "./parts/icon";
import { openPalette } from "./parts/palette";
import { say } from "./parts/say";
import { dropSewing, nextSide, turnSewing } from "./pattern/sew";
import { table } from "./pattern/table";
import { chooseFiles, dropRows } from "./project";
import { attempt, edit, link } from "./scene/link";
import { view } from "./scene/view";
import { state, TABS, type Tool, TOOLS } from "./state";
import { t, word, type TextKey } from "./texts";

const TOOL_KEYS: Record<Tool, string> = { select: "V", point: "A", curve: "C", seam: "S", pin: "P", grab: "G", measure: "M", iron: "I", cut: "X" };
export const TOOL_ICONS: Record<Tool, IconName> = { select: "select", point: "point", curve: "curve", seam: "seam", pin: "pin", grab: "grab", measure: "measure", iron: "iron", cut: "cut" };

export function chooseTool(tool: Tool): void {
  if (tool !== "seam") state.sewing = null;
  if (tool !== "cut" && view.cut.length) view.finishCut();
  state.tool = tool;
  state.update();
}

const piece = () => (state.selection.pieces.length ? { garment: state.selection.garment, pieces: state.selection.pieces } : null);
const hasPieces = (): boolean => piece() !== null;
const onePiece = (): boolean => state.selection.pieces.length === 1;
const seam = (): number | null => state.selection.seam;

function forPieces(make: (garment: number, name: string) => Parameters<typeof edit>[0]): void {
  const { garment, pieces } = state.selection;
  for (const name of pieces) edit(make(garment, name));
}

function remove(): void {
  const { garment, pieces, corners, edges } = state.selection, number = seam();
  if (number !== null) edit({ type: "unsew", garment, seams: [number] });
  else if (corners.length) for (const point of [...corners].sort((a, b) => b - a)) edit({ type: "delete_point", garment, piece: pieces[0]!, point });
  else if (!edges.length) forPieces((g, name) => ({ type: "delete_piece", garment: g, piece: name }));
  state.select({});
}

function unfold(): void {
  const { garment, pieces, edges } = state.selection, name = pieces[0]!, of = state.piece(garment, name);
  // the edge that was chosen, or the longest straight one
  const edge = edges[0] ?? of?.edges.reduce((best, e, i) => (e.kind === "line" && (best < 0 || e.length > of.edges[best]!.length) ? i : best), -1) ?? -1;
  if (edge >= 0) void attempt({ type: "unfold_piece", garment, piece: name, edge });
}

function split(): void {
  const { garment, pieces, corners } = state.selection;
  if (corners.length === 2) void attempt({ type: "split_piece", garment, piece: pieces[0]!, first: corners[0]!, second: corners[1]!, sew: true });
  else {
    chooseTool("point");
    say(t("piece.split.hint"));
  }
}

function addPiece(): void {
  const garment = state.selection.garment, taken = state.garment()?.pieces ?? [];
  let number = taken.length + 1;
  while (taken.includes(`piece ${number}`)) number++;
  const name = `piece ${number}`;
  void attempt({ type: "add_piece", garment, piece: name, outline: [[0, 0], [0.3, 0], [0.3, 0.3], [0, 0.3]] }).then((done) => {
    if (!done) return;
    state.select({ garment, pieces: [name] });
    table.fit();
  });
}

function escape(): void {
  if (state.sewing) dropSewing();
  else if (view.cut.length) view.finishCut();
  else state.select({});
}

/** A key that browsers know themselves may not open their window of files: then ours has a button for it. */
const openAny = (): void => (navigator.userActivation?.isActive === false ? openProjects() : chooseFiles());

/** Whoever walks does so in time that runs. */
function walk(): void {
  const on = !state.status?.moving;
  link.send({ type: "move", on });
  if (on && !state.status?.playing) link.send({ type: "play", on: true });
}

const record = (): void => link.send({ type: "record_frames", on: !state.status?.recording });

const PARTS: Command[] = [
  { id: "palette", text: "palette.open", icon: "search", key: "Ctrl+K", group: "group.help", run: openPalette },
  { id: "file.open", text: "file.open", icon: "folder", key: "Ctrl+O", group: "group.file", run: openAny },
  { id: "file.folder", text: "file.folder", icon: "folder", group: "group.file", run: openProjects },
  { id: "file.save", text: "file.save", icon: "save", key: "Ctrl+S", group: "group.file", run: () => void attempt({ type: "save" }) },
  { id: "file.export", text: "file.export", icon: "download", key: "Ctrl+E", group: "group.file", run: openExport },
  { id: "script", text: "script.open", icon: "code", key: "Ctrl+J", group: "group.file", run: openScript },
  { id: "undo", text: "undo", icon: "undo", key: "Ctrl+Z", group: "group.edit", run: () => { dropRows(); link.send({ type: "undo" }); }, can: () => Boolean(state.project?.undo) },
  { id: "redo", text: "redo", icon: "redo", key: "Ctrl+Shift+Z", group: "group.edit", run: () => link.send({ type: "redo" }), can: () => Boolean(state.project?.redo) },
  { id: "redo.other", text: "redo", icon: "redo", key: "Ctrl+Y", group: "group.edit", run: () => link.send({ type: "redo" }), can: () => Boolean(state.project?.redo) },
  { id: "delete", text: "delete", icon: "remove", key: "Delete", group: "group.edit", run: remove, can: () => hasPieces() || seam() !== null },
  { id: "escape", text: "escape", key: "Escape", group: "group.edit", run: escape },
  { id: "piece.add", text: "piece.add", icon: "plus", group: "group.pattern", run: addPiece, can: () => Boolean(state.garment()) },
  { id: "piece.mirror", text: "piece.mirror", icon: "mirror", group: "group.pattern", run: () => forPieces((garment, name) => ({ type: "mirror_piece", garment, piece: name })), can: hasPieces },
  { id: "piece.copy", text: "piece.copy", icon: "copy", key: "Ctrl+D", group: "group.pattern", run: () => forPieces((garment, name) => ({ type: "copy_piece", garment, piece: name })), can: hasPieces },
  { id: "piece.twin", text: "piece.twin", icon: "compare", group: "group.pattern", run: () => forPieces((garment, name) => ({ type: "copy_piece", garment, piece: name, mirrored: true })), can: hasPieces },
  { id: "piece.unfold", text: "piece.unfold", icon: "open", group: "group.pattern", run: unfold, can: onePiece },
  { id: "piece.split", text: "piece.split", icon: "cut", group: "group.pattern", run: split, can: onePiece },
  { id: "piece.delete", text: "piece.delete", icon: "remove", group: "group.pattern", run: () => { forPieces((garment, name) => ({ type: "delete_piece", garment, piece: name })); state.select({}); }, can: hasPieces },
  { id: "seam.reverse", text: "seam.reverse", icon: "swap", key: "R", group: "group.pattern", run: () => (state.sewing ? turnSewing() : edit({ type: "reverse_seam", garment: state.selection.garment, seam: seam()! })), can: () => state.sewing !== null || seam() !== null },
  { id: "seam.unsew", text: "seam.unsew", icon: "unlink", group: "group.pattern", run: () => { edit({ type: "unsew", garment: state.selection.garment, seams: [seam()!] }); state.select({}); }, can: () => seam() !== null },
  { id: "seam.next", text: "sewing.next", icon: "seam", key: "Enter", group: "group.pattern", run: nextSide, can: () => state.sewing !== null },
  { id: "cut.finish", text: "cut.finish", icon: "cut", key: "Enter", group: "group.cloth", run: () => view.finishCut(), can: () => view.cut.length > 1 },
  { id: "seam.propose", text: "seams.propose", icon: "confirm", group: "group.pattern", run: () => void attempt({ type: "ask_proposal", garment: state.selection.garment }), can: () => Boolean(state.garment()) },
  { id: "dress", text: "scene.dress", icon: "seam", key: "Ctrl+Enter", group: "group.cloth", run: () => void attempt({ type: "dress" }) },
  { id: "cancel", text: "cancel.work", icon: "close", group: "group.cloth", run: () => link.send({ type: "cancel" }), can: () => state.working !== null },
  { id: "play", text: "time.play", icon: "play", key: "Space", group: "group.time", run: () => { const engine = view.engine(0); engine.play(!engine.playing); state.update(); } },
  { id: "engine", text: "inpage.swap", icon: "settings", group: "group.cloth", run: () => view.swapEngine(), on: () => view.own !== null },
  { id: "step", text: "time.step", icon: "step", key: ".", group: "group.time", run: () => link.send({ type: "step_on", frames: 1 }) },
  { id: "reset", text: "scene.reset", icon: "back", key: "Home", group: "group.time", run: () => link.send({ type: "reset" }) },
  { id: "move", text: "time.move", icon: "walk", key: "W", group: "group.time", run: walk, on: () => Boolean(state.status?.moving) },
  { id: "record", text: "time.record", icon: "record", key: "Ctrl+R", group: "group.time", run: record },
  { id: "unpin", text: "pins.free", icon: "unlink", group: "group.cloth", run: () => view.unpinAll() },
  { id: "wind.off", text: "air.off", icon: "wind", group: "group.cloth", run: () => edit({ type: "set_air", wind: [0, 0, 0], gravity: air("gravity") }) },
  { id: "view.whole", text: "view.whole", icon: "whole", key: "F", group: "group.view", run: () => { view.whole(); table.fit(); state.update(); } },
  { id: "view.front", text: "view.front", icon: "person", key: "1", group: "group.view", run: () => view.look(0) },
  { id: "view.side", text: "view.side", icon: "person", key: "3", group: "group.view", run: () => view.look(Math.PI / 2) },
  { id: "view.back", text: "view.back", icon: "person", key: "2", group: "group.view", run: () => view.look(Math.PI) },
  { id: "view.look", text: "see.look", icon: "cloth", group: "group.view", run: () => draw("look") },
  { id: "view.wire", text: "see.wire", icon: "wire", group: "group.view", run: () => draw("wire") },
  { id: "view.normals", text: "see.normals", icon: "wire", group: "group.view", run: () => draw("normals") },
  { id: "compare", text: "compare.title", icon: "compare", group: "group.view", run: toggleCompare },
  { id: "lengths", text: "see.lengths", icon: "measure", key: "L", group: "group.view", run: () => state.wish({ lengths: !state.wishes.lengths }), on: () => state.wishes.lengths },
  { id: "snap", text: "see.snap", icon: "magnet", key: "N", group: "group.view", run: () => state.wish({ snap: !state.wishes.snap }), on: () => state.wishes.snap },
  { id: "units", text: "units.swap", icon: "measure", key: "U", group: "group.view", run: () => state.wish({ units: state.wishes.units === "cm" ? "in" : "cm" }) },
  { id: "theme", text: "theme.swap", icon: "dark", group: "group.view", run: () => state.wish({ theme: isDark() ? "light" : "dark" }) },
  { id: "tour", text: "tour.open", icon: "help", group: "group.help", run: startTour },
  { id: "help", text: "help.title", icon: "help", key: "?", group: "group.help", run: openHelp },
];

export const isDark = (): boolean => (state.wishes.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : state.wishes.theme === "dark");

export function startCommands(): void {
  addCommands(PARTS);
  addCommands(TOOLS.map((tool) => ({ id: `tool.${tool}`, text: `tool.${tool}` as TextKey, icon: TOOL_ICONS[tool], key: TOOL_KEYS[tool], group: "group.tools", run: () => chooseTool(tool), on: () => state.tool === tool })));
  addCommands(TABS.map((tab) => ({ id: `tab.${tab}`, text: `tab.${tab}` as TextKey, group: "group.view", run: () => { state.tab = tab; state.shown = "side"; state.update(); } })));
}

/** What the studio offers becomes commands as well: scenes, maps, drafts, fabrics, motions. */
export function offerMore(): void {
  const { hello } = state;
  if (!hello) return;
  const named = (id: string, group: TextKey, name: string, text: string, run: () => void): Command => ({ id: `${id}.${name}`, text: "named", name: text, group, run });
  addCommands([
    ...hello.scenes.map((name) => named("scene", "scene.title", name, word(`scene.${name}`, name), () => openScene(name))),
    ...hello.overlays.map((name) => named("overlay", "see.map", name, word(`overlay.${name}`, name), () => showOverlay(name))),
    ...hello.drafts.map((one) => named("draft", "garments.draft", one.name, word(`draft.${one.name}`, one.name), () => void attempt({ type: "add_draft", draft: one.name }))),
    ...hello.solvers.map((one) => named("solver", "method.solver", one.name, word(`method.${one.name}`, one.name), () => void attempt({ type: "set_method", collider: String(state.project?.method["collider"]), solver: one.name, settings: {} }))),
    ...hello.motions.map((one) => named("motion", "motion.title", one.name, word(`motion.${one.name}`, one.name), () => void attempt({ type: "set_motion", named: one.name }))),
    ...hello.fabrics.map((one) => named("fabric", "cloth.fabric", one.name, word(`fabric.${one.name}`, one.name), () => void attempt({ type: "set_fabric", garment: state.selection.garment, fabric: one.name }))),
  ]);
}
