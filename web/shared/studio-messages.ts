// Made by python -m toile.studio.describe: do not edit. See docs/studio-protocol.md.

export const PROTOCOL = 1;
/** frames that may be on their way */
export const MOST_WAITING = 4;

/** What any message to the studio may carry besides its own fields. */
export interface Envelope {
  /** answered by done or refused with the same id */
  id?: number;
  /** edits of one group that follow each other are undone together */
  group?: string;
}

/** Move corners of a piece; curves of the edges beside them follow. */
export interface MovePoints {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  points: number[];
  /** -50 to 50 m */
  by?: [number, number];
}

/** Move edges of a piece as they are, with their corners. */
export interface MoveEdges {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  edges: number[];
  /** -50 to 50 m */
  by?: [number, number];
}

/** Give an edge another curve: line, quadratic (1 control point), cubic (2), arc (1 on it), polyline. */
export interface SetCurve {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  kind?: "line" | "quadratic" | "cubic" | "arc" | "polyline";
  /** -50 to 50 m */
  controls?: [number, number][];
}

/** Make an edge so long: its end moves along the edge's direction. */
export interface SetLength {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  /** 0.001 to 20 m */
  length?: number;
}

/** Cut an edge in two at a fraction of its length; seams, notches and holds follow. */
export interface AddPoint {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  /** 0.001 to 0.999 */
  fraction?: number;
}

/** Take a corner away: the two edges that meet there become one line. */
export interface DeletePoint {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  point?: number;
}

/** Cut a dart into an edge and sew it shut. */
export interface AddDart {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  /** where its middle is, of the edge's length; 0.01 to 0.99 */
  fraction?: number;
  /** 0.002 to 0.5 m */
  width?: number;
  /** 0.005 to 2 m */
  depth?: number;
}

/** Mark a place of an edge; notches of one name meet when edges are sewn. */
export interface AddNotch {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  /** 0 to 1 */
  fraction?: number;
  name?: string;
}

/** Take a notch away. */
export interface DeleteNotch {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  notch?: number;
}

/** Turn the warp of a piece. */
export interface SetGrain {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** from the piece's y axis, counter-clockwise; -3.1416 to 3.1416 rad */
  angle?: number;
}

/** Draw a line inside a piece: drawn only, followed by the mesh, folded, or cut out. */
export interface AddLine {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  kind?: "internal" | "guide" | "fold" | "cutout";
  /** -50 to 50 m */
  points?: [number, number][];
  /** how far the cloth is folded along it; -3.1416 to 3.1416 rad */
  angle?: number;
}

/** Take an inner line away. */
export interface DeleteLine {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  line?: number;
}

/** Add a piece with straight edges through these corners. */
export interface AddPiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** -50 to 50 m */
  outline?: [number, number][];
}

/** Take a piece away, with its seams. */
export interface DeletePiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
}

/** Give a piece another name; its seams follow. */
export interface RenamePiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  name: string;
}

/** Move a piece on the table of the 2D view; the garment stays as it is. */
export interface MovePiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** -50 to 50 m */
  by?: [number, number];
}

/** Cut a piece in two along the line between two corners. */
export interface SplitPiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  first?: number;
  /** 0 to 2000 */
  second?: number;
  /** of the new piece; empty: one is found */
  name?: string;
  /** sew both parts together again along the cut */
  sew?: boolean;
}

/** Turn a piece over, left for right. */
export interface MirrorPiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
}

/** Add a copy of a piece, mirrored onto the other side of the body if wanted. */
export interface CopyPiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  name?: string;
  mirrored?: boolean;
}

/** Unfold a half piece along a straight edge. */
export interface UnfoldPiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
}

/** Say where a piece goes on the body. */
export interface PlacePiece {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  place: "front" | "back" | "left" | "right" | "left_arm" | "right_arm" | "left_leg" | "right_leg" | "neck" | "head";
  /** of its middle above the floor; None: found from its name and seams; 0 to 2.6 m */
  height?: number | null;
}

/** Sew two chains of edges together: the start of a meets the start of b. */
export interface Sew {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  a: EdgeAt[];
  b: EdgeAt[];
  name?: string;
}

/** An edge of a piece, in a direction. */
export interface EdgeAt {
  piece: string;
  /** 0 to 2000 */
  edge: number;
  /** run from the edge's end to its start */
  reversed: boolean;
}

/** Let a seam's second side run the other way. */
export interface ReverseSeam {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  /** 0 to 10000 */
  seam?: number;
}

/** Take seams out. */
export interface Unsew {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  seams: number[];
}

/** Take the seams and places that are proposed for pieces without them (message `proposal` shows them). */
export interface ProposeSeams {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  /** numbers of proposed seams that are left out */
  but?: number[];
}

/** Let an edge stay where the body carries it: a waistband, or an elastic. */
export interface HoldEdge {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
  kind?: "pin" | "elastic";
  /** elastic: relaxed length / cut length; 0.2 to 1 */
  ratio?: number;
}

/** Let an edge go that was held. */
export interface FreeEdge {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  piece: string;
  /** 0 to 2000 */
  edge?: number;
}

/** Draft a garment from the person's measures; it is worn over the others. */
export interface AddDraft {
  draft: string;
  style?: Record<string, number | boolean | string>;
  fabric?: string;
}

/** Change options of a drafted garment: it is drafted anew, edits by hand are lost. */
export interface SetDraft {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  /** options to change; the others stay */
  style: Record<string, number | boolean | string>;
}

/** Add the garments of a pattern file (DXF, SVG, HPGL, PDF, GarmentCode, our text). */
export interface OpenPattern {
  /** name in the project's folder */
  file: string;
  units?: "" | "mm" | "cm" | "in" | "m";
  size?: string;
  fabric?: string;
}

/** Begin a garment with one rectangular piece. */
export interface NewGarment {
  name?: string;
  /** 0.01 to 10 m */
  width?: number;
  /** 0.01 to 10 m */
  height?: number;
  fabric?: string;
}

/** Take a garment away. */
export interface DeleteGarment {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
}

/** Wear the garments in another order. */
export interface OrderGarments {
  /** their present numbers, innermost first */
  order: number[];
}

/** Cut a garment, or one of its pieces, from another fabric. */
export interface SetFabric {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  fabric: string;
  /** empty: the whole garment */
  piece?: string;
}

/** Change figures of a garment's fabric: mass, stretch_warp, bend_weft … in SI units. */
export interface SetFigures {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  figures: Record<string, number>;
}

/** Colour and print of a garment, or of one of its pieces. */
export interface SetLook {
  /** number of the garment, from the innermost; 0 to 30 */
  garment?: number;
  /** empty: the whole garment */
  piece?: string;
  /** #rrggbb */
  colour?: string;
  print?: "plain" | "stripes" | "dots" | "checks";
  second?: string;
  /** 0.002 to 1 m */
  repeat?: number;
}

/** Choose who wears it: by name, by file, or by measures. Drafts that nobody edited are drafted anew. */
export interface SetPerson {
  /** woman or man */
  named?: string;
  /** body, scan or avatar in the project's folder */
  file?: string;
  sex?: "" | "female" | "male";
  /** 18 to 90 years */
  age?: number | null;
  /** [m], weight in kg; what is not given is inferred; 0.05 to 300 */
  measures?: Record<string, number>;
}

/** Choose how the person moves. */
export interface SetMotion {
  /** one of our own; "stand": none */
  named?: string;
  /** BVH, AMC, FBX … in the project's folder */
  file?: string;
  /** of our own walk and run, such as cadence */
  settings?: Record<string, number>;
  /** trimmed away before; 0 to 3600 s */
  start?: number;
  /** trimmed away after; None: nothing; 0 to 3600 s */
  end?: number | null;
  /** 0.05 to 4 */
  speed?: number;
  /** of the joints' turns about their mean; 0 to 2 */
  amplitude?: number;
  /** begin again at the end */
  loop?: boolean;
}

/** Choose what moves the cloth and what keeps it off the skin, with their settings. */
export interface SetMethod {
  solver?: string;
  collider?: string;
  /** by name; "collider.NAME" where both have one */
  settings?: Record<string, number | boolean | string>;
}

/** Choose how fine the cloth is cut into triangles. */
export interface SetMesh {
  /** 0.003 to 0.2 m */
  edge_length?: number;
  mesh?: "triangles" | "grid";
}

/** Wind and gravity. */
export interface SetAir {
  /** -100 to 100 m/s */
  wind?: [number, number, number];
  /** -50 to 50 m/s² */
  gravity?: [number, number, number];
}

/** Name the project. */
export interface SetName {
  name: string;
}

/** A frame was drawn: no more than four may be on their way. */
export interface Ack {
  /** 0 to 4.29497e+09 */
  frame?: number;
  side?: 0 | 1;
}

/** Let time run, or pause. */
export interface Play {
  on?: boolean;
}

/** Compute so many frames, then pause. */
export interface StepOn {
  /** 1 to 600 */
  frames?: number;
}

/** Go back to how the outfit was dressed, or the scene began. */
export interface Reset {
}

/** Slow motion: so many times as fast as life. */
export interface Pace {
  /** 0.02 to 1 */
  factor?: number;
}

/** Put the person's motion at a time; the cloth goes along. */
export interface Seek {
  /** 0 to 3600 s */
  time?: number;
}

/** Let the person move, or stand in the rest pose. */
export interface Move {
  on?: boolean;
}

/** Sew the outfit onto the person, from flat pieces: seen as it goes, can be cancelled. */
export interface Dress {
}

/** Stop the long work that is going on: sewing, exporting. */
export interface Cancel {
}

/** Show the outfit, or one of the experiments. */
export interface Scene {
  name?: "outfit" | "hang_corner" | "hang_edge" | "tablecloth" | "falling";
  /** of the experiments' cloth, along a side; 4 to 120 */
  cells?: number;
  fabric?: string;
}

/** Pull a particle, and gently the cloth round it, to a place; again and again while the mouse moves. */
export interface Grab {
  /** 0 to 1e+07 */
  particle?: number;
  /** -100 to 100 */
  to?: [number, number, number];
  side?: 0 | 1;
}

/** Let the cloth go that was grabbed, with a velocity if it is thrown. */
export interface LetGo {
  /** -100 to 100 */
  velocity?: [number, number, number];
  side?: 0 | 1;
}

/** Pin particles where they are. */
export interface Pin {
  particles: number[];
  side?: 0 | 1;
}

/** Take pins out; none named: all. */
export interface Unpin {
  particles?: number[];
  side?: 0 | 1;
}

/** Press the cloth round a particle flat: folds there are smoothed and come to rest. */
export interface Iron {
  /** 0 to 1e+07 */
  particle?: number;
  /** 0.01 to 1 m */
  radius?: number;
}

/** Cut the cloth along a line of particles; those between are found. The pattern stays as it is. */
export interface CutCloth {
  particles: number[];
}

/** Colour the cloth by a value for each particle. */
export interface Show {
  overlay?: "none" | "fit" | "strain" | "pressure" | "contact" | "penetration";
}

/** Show the outfit a second time, in step, with another method or fabric; on=false ends it. */
export interface Compare {
  on?: boolean;
  solver?: string;
  collider?: string;
  /** empty: as in the project */
  fabric?: string;
}

/** Ask for the seams and places that are proposed for a garment; answered by `proposal`. */
export interface AskProposal {
  /** 0 to 30 */
  garment?: number;
}

/** Ask for the project as a Python script; answered by `script`. */
export interface AskScript {
}

/** Ask for the prepared scene for the engine in the page; answered by a binary message of kind 4. */
export interface AskScene {
}

/** Take edits back. */
export interface Undo {
  /** 1 to 10000 */
  steps?: number;
}

/** Do again what was taken back. */
export interface Redo {
  /** 1 to 10000 */
  steps?: number;
}

/** Write the project and how the cloth lies as one file in the project's folder. */
export interface Save {
  /** NAME.studio; empty: the name it was opened by */
  file?: string;
}

/** Open a file of the project's folder for what it is: project, recording, pattern, body, motion. */
export interface Open {
  file: string;
}

/** Begin to record what is seen, or end it: a file NAME.toile in the project's folder. */
export interface RecordFrames {
  on?: boolean;
  /** empty: recording-1.toile, recording-2.toile … */
  file?: string;
}

/** Show a recording of the folder, frame by frame; empty: go back to living cloth. */
export interface Replay {
  file?: string;
  /** 0 to 3.6e+06 */
  frame?: number;
}

/** Write what is seen now, or a recording, in another format; answered by `file`. */
export interface Export {
  format?: string;
  /** a recording of the folder; empty: the cloth as it lies now */
  file?: string;
  /** of an export job: smooth, view, turns, camera … */
  settings?: Record<string, number | boolean | string>;
}

/** The first message: what this studio can do. */
export interface Hello {
  protocol: number;
  version: string;
  /** to come back to this session after a broken connection: /studio/live?session=… */
  session: string;
  solvers: Panel[];
  colliders: Panel[];
  drafts: Panel[];
  motions: Panel[];
  /** figures of the fabric library */
  fabrics: Panel[];
  /** sliders of a person */
  measures: Control[];
  scenes: string[];
  overlays: string[];
  /** that Export writes */
  formats: string[];
  /** the project was found as it was before a crash */
  recovered: boolean;
}

/** A named thing with settings: a solver, a collider, a draft, a motion. */
export interface Panel {
  name: string;
  help: string;
  controls: Control[];
}

/** One setting, as a panel shows it. */
export interface Control {
  name: string;
  kind: "number" | "whole" | "switch" | "choice" | "text";
  default: number | boolean | string;
  help: string;
  unit: string;
  low: number | null;
  high: number | null;
  choices: string[];
}

/** The project after an edit, but for its pieces (`pieces` brings those). */
export interface Project {
  /** number of this state; frames are of the newest one that was cut */
  revision: number;
  name: string;
  garments: GarmentSeen[];
  /** fields of SetPerson */
  person: Record<string, unknown>;
  /** all measures of the person, also inferred ones */
  measures: Record<string, number>;
  /** fields of SetMotion */
  motion: Record<string, unknown>;
  /** of the trimmed motion [s] */
  duration: number;
  /** fields of SetMethod */
  method: Record<string, unknown>;
  mesh: Record<string, unknown>;
  air: Record<string, unknown>;
  /** what Undo would take back, in words; empty: nothing */
  undo: string;
  redo: string;
  /** the file holds this state */
  saved: boolean;
  warnings: string[];
}

/** A garment, but for its pieces. */
export interface GarmentSeen {
  name: string;
  pieces: string[];
  seams: SeamSeen[];
  fabric: string;
  /** of its fabric, with what was changed by hand */
  figures: Record<string, number>;
  colour: string;
  /** empty: from a file or by hand */
  draft: string;
  style: Record<string, number | boolean | string>;
  /** drafted, then edited by hand */
  edited: boolean;
  warnings: string[];
}

/** A seam of a garment. */
export interface SeamSeen {
  name: string;
  /** #rrggbb; both its sides have it */
  colour: string;
  a: EdgeAt[];
  b: EdgeAt[];
  length_a: number;
  length_b: number;
  warning: string;
}

/** Pieces that are new or changed, and which there are in all. */
export interface Pieces {
  revision: number;
  changed: PieceSeen[];
  /** garment and name of pieces that are no more */
  gone: [number, string][];
}

/** A piece of a garment, in its own plane. */
export interface PieceSeen {
  garment: number;
  piece: string;
  corners: [number, number][];
  edges: EdgeSeen[];
  notches: NotchSeen[];
  lines: LineSeen[];
  grain: number;
  /** [m²] */
  area: number;
  /** where its origin lies on the table of the 2D view */
  table: [number, number];
  /** empty: the garment's */
  fabric: string;
  colour: string;
  print: string;
  second: string;
  repeat: number;
  /** what it goes round: torso, left_arm …; empty: not placed */
  place: string;
}

/** An edge of a piece, ready to be drawn. */
export interface EdgeSeen {
  name: string;
  kind: string;
  /** corner */
  start: number;
  end: number;
  controls: [number, number][];
  /** points along it, both corners among them */
  line: [number, number][];
  length: number;
  /** numbers of the seams that run along it */
  seams: number[];
  /** "", pin or elastic */
  held: string;
}

/** A notch of a piece. */
export interface NotchSeen {
  edge: number;
  fraction: number;
  name: string;
  at: [number, number];
}

/** A line inside a piece. */
export interface LineSeen {
  kind: string;
  points: [number, number][];
  angle: number;
}

/** Seams that ProposeSeams would take; edges are numbered as they will be then. */
export interface Proposal {
  garment: number;
  seams: ProposedSeam[];
  /** as they will be: edges may be cut where seams end */
  pieces: PieceSeen[];
  notes: string[];
}

/** A seam that is proposed for a garment that has none. */
export interface ProposedSeam {
  a: EdgeAt[];
  b: EdgeAt[];
  /** confidence and reason */
  remark: string;
  unsure: boolean;
}

/** A message with an id was carried out. */
export interface Done {
  id: number;
}

/** Something was not done; nothing has changed. */
export interface Refused {
  /** one line for a person */
  error: string;
  id: number | null;
  /** name of the message, piece or seam that it is about */
  place: string;
}

/** How far long work is; fraction 1: it has ended. */
export interface Working {
  /** sewing, draping, cutting, exporting … */
  what: string;
  fraction: number;
  words: string;
}

/** How the simulation goes, a few times a second. */
export interface Status {
  playing: boolean;
  moving: boolean;
  /** the outfit is on the person */
  sewn: boolean;
  scene: string;
  /** of the simulation [s] */
  time: number;
  motion_time: number;
  pace: number;
  /** to compute a frame, lately */
  frame_ms: number;
  /** frames computed a second */
  fps: number;
  sent: number;
  /** frames that were computed and not sent, because four were on their way */
  dropped: number;
  vertices: number;
  triangles: number;
  contacts: number;
  /** crossings that the last frame left */
  left: number;
  /** of motion [J] */
  energy: number;
  /** 99 % of the threads are stretched by less */
  stretch: number;
  pinned: number;
  /** file that is recorded into; empty: none */
  recording: string;
  overlay: string;
  /** what overlay byte 0 means */
  low: number;
  /** what overlay byte 255 means */
  high: number;
  unit: string;
  /** from the last edit's arrival to its first frame [ms] */
  edit_ms: number;
  asleep: boolean;
}

/** The project as Python. */
export interface Script {
  text: string;
  /** of the history, one edit each */
  lines: string[];
}

/** A file was written: GET /studio/files/SESSION/NAME brings it. */
export interface FileWritten {
  name: string;
  bytes: number;
  kind: "project" | "recording" | "export" | "script";
  url: string;
}

/** The files of the project's folder. */
export interface Files {
  names: string[];
}

/** A recording that is shown: how long it is and where it stands. */
export interface Recording {
  file: string;
  frames: number;
  frame: number;
  fps: number;
}

export type ToStudio =
  | ({ type: "move_points" } & MovePoints & Envelope)
  | ({ type: "move_edges" } & MoveEdges & Envelope)
  | ({ type: "set_curve" } & SetCurve & Envelope)
  | ({ type: "set_length" } & SetLength & Envelope)
  | ({ type: "add_point" } & AddPoint & Envelope)
  | ({ type: "delete_point" } & DeletePoint & Envelope)
  | ({ type: "add_dart" } & AddDart & Envelope)
  | ({ type: "add_notch" } & AddNotch & Envelope)
  | ({ type: "delete_notch" } & DeleteNotch & Envelope)
  | ({ type: "set_grain" } & SetGrain & Envelope)
  | ({ type: "add_line" } & AddLine & Envelope)
  | ({ type: "delete_line" } & DeleteLine & Envelope)
  | ({ type: "add_piece" } & AddPiece & Envelope)
  | ({ type: "delete_piece" } & DeletePiece & Envelope)
  | ({ type: "rename_piece" } & RenamePiece & Envelope)
  | ({ type: "move_piece" } & MovePiece & Envelope)
  | ({ type: "split_piece" } & SplitPiece & Envelope)
  | ({ type: "mirror_piece" } & MirrorPiece & Envelope)
  | ({ type: "copy_piece" } & CopyPiece & Envelope)
  | ({ type: "unfold_piece" } & UnfoldPiece & Envelope)
  | ({ type: "place_piece" } & PlacePiece & Envelope)
  | ({ type: "sew" } & Sew & Envelope)
  | ({ type: "reverse_seam" } & ReverseSeam & Envelope)
  | ({ type: "unsew" } & Unsew & Envelope)
  | ({ type: "propose_seams" } & ProposeSeams & Envelope)
  | ({ type: "hold_edge" } & HoldEdge & Envelope)
  | ({ type: "free_edge" } & FreeEdge & Envelope)
  | ({ type: "add_draft" } & AddDraft & Envelope)
  | ({ type: "set_draft" } & SetDraft & Envelope)
  | ({ type: "open_pattern" } & OpenPattern & Envelope)
  | ({ type: "new_garment" } & NewGarment & Envelope)
  | ({ type: "delete_garment" } & DeleteGarment & Envelope)
  | ({ type: "order_garments" } & OrderGarments & Envelope)
  | ({ type: "set_fabric" } & SetFabric & Envelope)
  | ({ type: "set_figures" } & SetFigures & Envelope)
  | ({ type: "set_look" } & SetLook & Envelope)
  | ({ type: "set_person" } & SetPerson & Envelope)
  | ({ type: "set_motion" } & SetMotion & Envelope)
  | ({ type: "set_method" } & SetMethod & Envelope)
  | ({ type: "set_mesh" } & SetMesh & Envelope)
  | ({ type: "set_air" } & SetAir & Envelope)
  | ({ type: "set_name" } & SetName & Envelope)
  | ({ type: "ack" } & Ack & Envelope)
  | ({ type: "play" } & Play & Envelope)
  | ({ type: "step_on" } & StepOn & Envelope)
  | ({ type: "reset" } & Reset & Envelope)
  | ({ type: "pace" } & Pace & Envelope)
  | ({ type: "seek" } & Seek & Envelope)
  | ({ type: "move" } & Move & Envelope)
  | ({ type: "dress" } & Dress & Envelope)
  | ({ type: "cancel" } & Cancel & Envelope)
  | ({ type: "scene" } & Scene & Envelope)
  | ({ type: "grab" } & Grab & Envelope)
  | ({ type: "let_go" } & LetGo & Envelope)
  | ({ type: "pin" } & Pin & Envelope)
  | ({ type: "unpin" } & Unpin & Envelope)
  | ({ type: "iron" } & Iron & Envelope)
  | ({ type: "cut_cloth" } & CutCloth & Envelope)
  | ({ type: "show" } & Show & Envelope)
  | ({ type: "compare" } & Compare & Envelope)
  | ({ type: "ask_proposal" } & AskProposal & Envelope)
  | ({ type: "ask_script" } & AskScript & Envelope)
  | ({ type: "ask_scene" } & AskScene & Envelope)
  | ({ type: "undo" } & Undo & Envelope)
  | ({ type: "redo" } & Redo & Envelope)
  | ({ type: "save" } & Save & Envelope)
  | ({ type: "open" } & Open & Envelope)
  | ({ type: "record_frames" } & RecordFrames & Envelope)
  | ({ type: "replay" } & Replay & Envelope)
  | ({ type: "export" } & Export & Envelope);

export type FromStudio =
  | ({ type: "hello" } & Hello)
  | ({ type: "project" } & Project)
  | ({ type: "pieces" } & Pieces)
  | ({ type: "proposal" } & Proposal)
  | ({ type: "done" } & Done)
  | ({ type: "refused" } & Refused)
  | ({ type: "working" } & Working)
  | ({ type: "status" } & Status)
  | ({ type: "script" } & Script)
  | ({ type: "file_written" } & FileWritten)
  | ({ type: "files" } & Files)
  | ({ type: "recording" } & Recording);

export type Edit =
  | ({ type: "move_points" } & MovePoints & Envelope)
  | ({ type: "move_edges" } & MoveEdges & Envelope)
  | ({ type: "set_curve" } & SetCurve & Envelope)
  | ({ type: "set_length" } & SetLength & Envelope)
  | ({ type: "add_point" } & AddPoint & Envelope)
  | ({ type: "delete_point" } & DeletePoint & Envelope)
  | ({ type: "add_dart" } & AddDart & Envelope)
  | ({ type: "add_notch" } & AddNotch & Envelope)
  | ({ type: "delete_notch" } & DeleteNotch & Envelope)
  | ({ type: "set_grain" } & SetGrain & Envelope)
  | ({ type: "add_line" } & AddLine & Envelope)
  | ({ type: "delete_line" } & DeleteLine & Envelope)
  | ({ type: "add_piece" } & AddPiece & Envelope)
  | ({ type: "delete_piece" } & DeletePiece & Envelope)
  | ({ type: "rename_piece" } & RenamePiece & Envelope)
  | ({ type: "move_piece" } & MovePiece & Envelope)
  | ({ type: "split_piece" } & SplitPiece & Envelope)
  | ({ type: "mirror_piece" } & MirrorPiece & Envelope)
  | ({ type: "copy_piece" } & CopyPiece & Envelope)
  | ({ type: "unfold_piece" } & UnfoldPiece & Envelope)
  | ({ type: "place_piece" } & PlacePiece & Envelope)
  | ({ type: "sew" } & Sew & Envelope)
  | ({ type: "reverse_seam" } & ReverseSeam & Envelope)
  | ({ type: "unsew" } & Unsew & Envelope)
  | ({ type: "propose_seams" } & ProposeSeams & Envelope)
  | ({ type: "hold_edge" } & HoldEdge & Envelope)
  | ({ type: "free_edge" } & FreeEdge & Envelope)
  | ({ type: "add_draft" } & AddDraft & Envelope)
  | ({ type: "set_draft" } & SetDraft & Envelope)
  | ({ type: "open_pattern" } & OpenPattern & Envelope)
  | ({ type: "new_garment" } & NewGarment & Envelope)
  | ({ type: "delete_garment" } & DeleteGarment & Envelope)
  | ({ type: "order_garments" } & OrderGarments & Envelope)
  | ({ type: "set_fabric" } & SetFabric & Envelope)
  | ({ type: "set_figures" } & SetFigures & Envelope)
  | ({ type: "set_look" } & SetLook & Envelope)
  | ({ type: "set_person" } & SetPerson & Envelope)
  | ({ type: "set_motion" } & SetMotion & Envelope)
  | ({ type: "set_method" } & SetMethod & Envelope)
  | ({ type: "set_mesh" } & SetMesh & Envelope)
  | ({ type: "set_air" } & SetAir & Envelope)
  | ({ type: "set_name" } & SetName & Envelope);
