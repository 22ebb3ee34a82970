/** The 3D view: one side, or two in step, and what hands do in it. */
import type { ClothHit, Grab } from "toile-viewer";
import { type Engine, InPage, remote } from "./engine";
import { attempt, link } from "./link";
import { isFrame, readMeshHead, frameHead } from "./frame";
import { Side } from "./side";
import { history } from "./history";
import { say } from "../parts/say";
import { clickEdge } from "../pattern/sew";
import { state } from "../state";
import { t } from "../texts";

type Triple = [number, number, number];
/** tools that are about edges */
const HOVERED = new Set(["select", "point", "curve", "seam"]);
/** a hand's messages no oftener than this [ms] */
const OFTEN = 12;

class View3D {
  readonly sides: (Side | undefined)[] = [];
  /** the browser has no WebGL 2 */
  none = false;
  readonly pinned = new Set<number>();
  /** particles of a cut that is being clicked */
  cut: number[] = [];
  tape: { from: Triple; to: Triple | null } | null = null;
  /** the engine in the page, while it computes */
  own: InPage | null = null;
  private readonly early: ArrayBuffer[] = [];
  private person: ArrayBuffer | null = null;
  private lit = "";
  private looked = 0;

  /** Fills the elements: the first side, and the second while something is compared. */
  attach(element: Element | undefined, number: number): void {
    const old = this.sides[number];
    if (old?.host === element) return;
    old?.dispose();
    this.sides[number] = undefined;
    if (!element || this.none) return;
    try {
      const side = new Side(element as HTMLElement, number);
      this.sides[number] = side;
      side.onGrab = (hit) => this.hand(side, hit);
      side.onShown = (frame) => {
        if (!number) history.take(frame);
        this.together(side);
        this.light(true);
      };
      (element as HTMLElement).addEventListener("pointermove", (event) => {
        this.together(side);
        this.hover(side, event);
      });
      element.addEventListener("wheel", () => this.together(side), { passive: true });
    } catch {
      this.none = true;
      state.update();
    }
    const side = this.sides[number], head = this.person && number ? readMeshHead(this.person) : null;
    if (side && head) void side.takeMesh(head).then(() => this.sides[0] && this.together(this.sides[0]));
    for (const data of this.early.splice(0)) this.take(data);
  }

  take(data: ArrayBuffer): void {
    const frame = isFrame(data), head = frame ? null : readMeshHead(data), number = head?.side ?? (frame ? frameHead(data).side : 0), side = this.sides[number];
    if (!side) {
      if (frame) link.acknowledge(data);
      else this.early.push(data);
      return;
    }
    if (frame) return side.takeFrame(data);
    if (!head) return;
    if (head.kind === "scene") return void this.enter(head.file);
    if (head.kind === "cloth" && !number) this.forget();
    if (head.kind === "body") {
      // one person stands on both sides
      this.person = data;
      for (const other of this.sides) if (other && other !== side) void other.takeMesh(head).catch(() => undefined);
    }
    void side.takeMesh(head).catch((error: unknown) => say(String(error), true));
  }

  paint(): void {
    for (const side of this.sides) side?.paint();
  }

  whole(): void {
    for (const side of this.sides) side?.whole();
  }

  look(azimuth: number): void {
    for (const side of this.sides) side?.stage.glide({ azimuth, elevation: 0.05 }, 0.4);
  }

  draw(way: "look" | "wire" | "normals"): void {
    for (const side of this.sides) side?.stage.setDrawing(way);
  }

  unpinAll(): void {
    this.pinned.clear();
    this.sides[0]?.showPins([]);
    this.engine(0).unpin([]);
    state.update();
  }

  /** What computes a side now. */
  engine(side: number): Engine {
    return this.own && !side ? this.own : remote(side ? 1 : 0);
  }

  /** From the studio's process to the engine in the page, or back. */
  swapEngine(): void {
    if (this.own) return this.leave();
    link.send({ type: "play", on: false });
    void attempt({ type: "ask_scene" });
  }

  leave(): void {
    this.own?.close();
    this.own = null;
    this.forget();
    link.send({ type: "show", overlay: (state.status?.overlay ?? "none") as "none" });
    link.send({ type: "play", on: true });
    state.update();
  }

  private async enter(file: Uint8Array): Promise<void> {
    const side = this.sides[0];
    if (!side) return;
    this.own?.close();
    this.forget();
    try {
      this.own = await InPage.open(side, file, (why) => {
        say(why, true);
        this.leave();
      });
    } catch (error) {
      say(t("inpage.failed", { why: error instanceof Error ? error.message : String(error) }), true);
    }
    state.update();
  }

  finishCut(): void {
    const particles = this.cut;
    this.cut = [];
    if (particles.length > 1) void attempt({ type: "cut_cloth", particles });
    state.update();
  }

  /** The edge under the pointer in 2D, what it is sewn to, and the seam that is selected. */
  light(moved = false): void {
    const { hover, selection, sewing } = state, lines: Parameters<Side["light"]>[0] = [];
    const spot = hover ?? (selection.edges.length === 1 && selection.pieces[0] ? { garment: selection.garment, piece: selection.pieces[0], edge: selection.edges[0]! } : null);
    const seams = spot ? (state.piece(spot.garment, spot.piece)?.edges[spot.edge]?.seams ?? []) : selection.seam !== null ? [selection.seam] : [];
    const garment = spot?.garment ?? selection.garment;
    for (const number of seams) {
      const seam = state.project?.garments[garment]?.seams[number];
      if (seam) lines.push({ garment, edges: [...seam.a, ...seam.b], colour: seam.colour });
    }
    if (spot && !seams.length) lines.push({ garment, edges: [{ piece: spot.piece, edge: spot.edge, reversed: false }], colour: "#2b4a92" });
    if (sewing) lines.push({ garment: sewing.garment, edges: [...sewing.a, ...sewing.b], colour: "#b3261e" });
    const key = JSON.stringify(lines);
    if (key === this.lit && (!moved || !lines.length)) return;
    this.lit = key;
    this.sides[0]?.light(lines);
  }

  /** The edge under the pointer on the body lights up in 2D as well. */
  private hover(side: Side, event: PointerEvent): void {
    const now = performance.now();
    if (event.buttons || this.own || !HOVERED.has(state.tool) || now - this.looked < 60) return;
    this.looked = now;
    const hit = side.stage.under(event), found = hit && side.map?.edgeAt(hit.particle, (garment, piece) => state.pieces.get(`${garment}/${piece}`));
    const spot = found ? { garment: found.garment, piece: found.piece, edge: found.edge } : null;
    if (JSON.stringify(spot) === JSON.stringify(state.hover)) return;
    state.hover = spot;
    state.update();
  }

  /** One camera for both sides. */
  private together(from: Side): void {
    for (const side of this.sides) if (side && side !== from) side.stage.glide(from.stage.view, 0);
  }

  private forget(): void {
    this.pinned.clear();
    this.cut = [];
    this.tape = null;
    this.lit = "";
  }

  private hand(side: Side, hit: ClothHit): Grab | null {
    switch (state.tool) {
      case "grab":
        return this.grab(side, hit);
      case "pin":
        this.pin(side, hit.particle);
        return null;
      case "measure":
        this.tape = this.tape && !this.tape.to ? { ...this.tape, to: [...hit.point] as Triple } : { from: [...hit.point] as Triple, to: null };
        side.stage.setTape(this.tape.to ? Float32Array.from([...this.tape.from, ...between(this.tape.from, this.tape.to), ...this.tape.to]) : null);
        state.update();
        return null;
      case "seam": {
        const found = side.map?.edgeAt(hit.particle, (garment, piece) => state.pieces.get(`${garment}/${piece}`));
        if (found) clickEdge(found, found.share, false);
        return null;
      }
      case "iron":
        return this.iron(side, hit);
      case "cut":
        this.cut.push(hit.particle);
        side.showPins([...this.pinned, ...this.cut]);
        state.update();
        return null;
      default: {
        const of = side.map?.pieceOf(hit.particle);
        if (of) state.select({ garment: of.garment, pieces: [of.piece] });
        return null;
      }
    }
  }

  private pin(side: Side, particle: number): void {
    const near = [...this.pinned].find((p) => p === particle || close(side.positionOf(p), side.positionOf(particle)));
    if (near === undefined) {
      this.pinned.add(particle);
      this.engine(side.number).pin([particle]);
    } else {
      this.pinned.delete(near);
      this.engine(side.number).unpin([near]);
    }
    side.showPins(this.pinned);
    state.update();
  }

  /** The cloth goes with the pointer, and flies on when it is let go in movement. */
  private grab(side: Side, hit: ClothHit): Grab {
    const engine = this.engine(side.number), trail: { at: Triple; time: number }[] = [{ at: [...hit.point] as Triple, time: performance.now() }];
    let sent = 0, timer = 0;
    const give = (): void => {
      sent = performance.now();
      engine.grab(hit.particle, trail.at(-1)!.at);
    };
    give();
    if (!engine.playing) engine.play(true);
    return {
      move: (point) => {
        trail.push({ at: [...point] as Triple, time: performance.now() });
        if (trail.length > 8) trail.shift();
        clearTimeout(timer);
        if (performance.now() - sent >= OFTEN) give();
        else timer = window.setTimeout(give, OFTEN);
      },
      end: () => {
        clearTimeout(timer);
        engine.letGo(thrown(trail));
      },
    };
  }

  private iron(side: Side, hit: ClothHit): Grab {
    let last = 0;
    const press = (particle: number): void => {
      last = performance.now();
      link.send({ type: "iron", particle, radius: 0.06 });
    };
    press(hit.particle);
    return {
      move: (point) => {
        if (performance.now() - last > 60) press(nearest(side, [...point] as Triple));
      },
      end: () => undefined,
    };
  }
}

/** How fast the hand was at the end [m/s]; a hand that had stopped throws nothing. */
function thrown(trail: readonly { at: Triple; time: number }[]): Triple {
  const now = performance.now(), late = trail.filter(({ time }) => now - time < 90), first = late[0], last = late.at(-1);
  if (!first || !last || last.time - first.time < 15) return [0, 0, 0];
  const span = (last.time - first.time) / 1000;
  return [0, 1, 2].map((k) => Math.max(-20, Math.min(20, (last.at[k]! - first.at[k]!) / span))) as Triple;
}

const between = (a: Triple, b: Triple): Triple => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];

/** so near to each other and the same pin is meant [m] */
const SAME = 0.02;

function close(a: Triple | null, b: Triple | null): boolean {
  return a !== null && b !== null && Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < SAME;
}

function nearest(side: Side, to: Triple): number {
  const p = side.frame?.positions ?? new Float32Array();
  let best = 0, far = Infinity;
  for (let i = 0; 3 * i < p.length; i++) {
    const d = (p[3 * i]! - to[0]) ** 2 + (p[3 * i + 1]! - to[1]) ** 2 + (p[3 * i + 2]! - to[2]) ** 2;
    if (d < far) [best, far] = [i, d];
  }
  return best;
}

export const view = new View3D();
export const tapeLength = (): number | null => (view.tape?.to ? Math.hypot(...[0, 1, 2].map((k) => view.tape!.to![k]! - view.tape!.from[k]!)) : null);

/** Shown where 3D cannot be. */
export const noPicture = (): string => t("stage.none");
