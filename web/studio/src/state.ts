/** What the page knows and shows; every change asks for one new picture of the frame. */
import type { EdgeAt, FromStudio, GarmentSeen, Hello, PieceSeen, Proposal, Recording, Script, Status, Working } from "../../shared/studio-messages";
import { UNITS, type Unit } from "./quantity";

type ProjectSeen = Extract<FromStudio, { type: "project" }>;

export type Tool = "select" | "point" | "curve" | "seam" | "pin" | "grab" | "measure" | "iron" | "cut";
export const TOOLS: readonly Tool[] = ["select", "point", "curve", "seam", "pin", "grab", "measure", "iron", "cut"];
export type Tab = "person" | "pattern" | "cloth" | "simulate" | "see";
export const TABS: readonly Tab[] = ["person", "pattern", "cloth", "simulate", "see"];

export interface EdgeSpot {
  readonly garment: number;
  readonly piece: string;
  readonly edge: number;
}

/** What is selected: a garment, some of its pieces, corners or edges of one of them, or a seam. */
export interface Selection {
  readonly garment: number;
  readonly pieces: readonly string[];
  readonly corners: readonly number[];
  readonly edges: readonly number[];
  readonly seam: number | null;
}

export const NOTHING: Selection = { garment: 0, pieces: [], corners: [], edges: [], seam: null };

/** A seam that is being clicked together. */
export interface Sewing {
  readonly garment: number;
  readonly a: readonly EdgeAt[];
  readonly b: readonly EdgeAt[];
  /** edges that are clicked now go to this side */
  readonly side: "a" | "b";
  /** shares of the edges' lengths at which the first edges were clicked */
  readonly clicked: readonly number[];
  /** R was pressed: the other way than what was guessed */
  readonly turned: boolean;
}

export const pieceKey = (garment: number, piece: string): string => `${garment}/${piece}`;

type Listener = () => void;

/** What the person set in this browser; kept there. */
export interface Wishes {
  theme: "auto" | "light" | "dark";
  units: "cm" | "in";
  /** share of the middle that the 3D view has */
  split: number;
  /** width of the properties, height of the timeline [px] */
  side: number;
  foot: number;
  snap: boolean;
  lengths: boolean;
  toured: boolean;
}

const KEPT = "toile-studio";
const USUAL: Wishes = { theme: "auto", units: "cm", split: 0.5, side: 320, foot: 132, snap: true, lengths: false, toured: false };

class State {
  /** what this studio can do; null until it answers */
  hello: Hello | null = null;
  project: ProjectSeen | null = null;
  status: Status | null = null;
  working: Working | null = null;
  proposal: (Proposal & { off: Set<number> }) | null = null;
  script: Script | null = null;
  files: readonly string[] = [];
  recording: Recording | null = null;
  /** the line to the studio */
  line: "opening" | "open" | "lost" = "opening";
  readonly pieces = new Map<string, PieceSeen>();
  /** pieces as they are being dragged */
  readonly preview = new Map<string, PieceSeen>();
  selection: Selection = NOTHING;
  hover: EdgeSpot | null = null;
  sewing: Sewing | null = null;
  tool: Tool = "select";
  tab: Tab = "pattern";
  /** what a small screen shows */
  shown: "3d" | "2d" | "side" = "3d";
  wishes: Wishes = kept();
  private readonly listeners = new Set<Listener>();
  private asked = false;

  get unit(): Unit {
    return this.wishes.units === "in" ? UNITS.in : UNITS.cm;
  }

  /** A piece as it is drawn now. */
  piece(garment: number, name: string): PieceSeen | undefined {
    const key = pieceKey(garment, name);
    return this.preview.get(key) ?? this.pieces.get(key);
  }

  /** All pieces in the order of their garments. */
  allPieces(): PieceSeen[] {
    return (this.project?.garments ?? []).flatMap((garment, g) => garment.pieces.flatMap((name) => this.piece(g, name) ?? []));
  }

  garment(number = this.selection.garment): GarmentSeen | undefined {
    return this.project?.garments[number];
  }

  /** Takes over what the studio told; returns false for what it has no place for. */
  take(message: FromStudio): void {
    if (message.type === "hello") this.hello = message;
    else if (message.type === "project") this.takeProject(message);
    else if (message.type === "pieces") {
      for (const piece of message.changed) this.pieces.set(pieceKey(piece.garment, piece.piece), piece);
      for (const [garment, piece] of message.gone) this.pieces.delete(pieceKey(garment, piece));
      this.preview.clear();
    } else if (message.type === "status") this.status = message;
    else if (message.type === "working") this.working = message.fraction < 1 ? message : null;
    else if (message.type === "proposal") this.proposal = { ...message, off: new Set() };
    else if (message.type === "script") this.script = message;
    else if (message.type === "files") this.files = message.names;
    else if (message.type === "recording") this.recording = message.file ? message : null;
    this.update();
  }

  private takeProject(project: ProjectSeen): void {
    this.project = project;
    const { garment, pieces, seam } = this.selection, now = project.garments[garment];
    // what is no more cannot be selected
    const gone = !now ? garment > 0 : pieces.some((name) => !now.pieces.includes(name)) || (seam !== null && seam >= now.seams.length);
    if (gone) this.selection = NOTHING;
  }

  wish(change: Partial<Wishes>): void {
    Object.assign(this.wishes, change);
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.wishes));
    } catch {
      // a browser that keeps nothing asks again next time
    }
    applyTheme(this.wishes.theme);
    this.update();
  }

  select(selection: Partial<Selection>): void {
    this.selection = { ...NOTHING, garment: this.selection.garment, ...selection };
    this.update();
  }

  onChange(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** Many changes make one picture. */
  update(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      for (const listener of this.listeners) listener();
    });
  }
}

function kept(): Wishes {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Wishes>) };
  } catch {
    return { ...USUAL };
  }
}

export function applyTheme(theme: Wishes["theme"]): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export const state = new State();

/** A piece that is being dragged from the table over the body, and the place below the pointer. */
export const dropping: { piece: string; over: string } = { piece: "", over: "" };
