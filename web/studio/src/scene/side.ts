/** One stage with what the studio sends for it: a body, cloth, frames; of a comparison there are two. */
import { readBlocks, type Block } from "toile-engine";
import { readBody, readCloth, Stage, type BodyMesh, type ClothHit, type ClothMesh, type Grab, type MaterialSpec } from "toile-viewer";
import * as THREE from "three";
import type { EdgeAt } from "../../../shared/studio-messages";
import { state } from "../state";
import { t } from "../texts";
import { ClothMap } from "./cloth-map";
import { type Frame, frameHead, readFrame, type MeshHead } from "./frame";
import { link } from "./link";

export class Side {
  readonly stage: Stage;
  map: ClothMap | null = null;
  cloth: ClothMesh | null = null;
  frame: Frame | null = null;
  /** frames drawn a second */
  fps = 0;
  /** called after each new frame */
  onShown: ((frame: Frame) => void) | null = null;
  private clothNumber = 0;
  private bodyNumber = 0;
  private body: BodyMesh | null = null;
  private borrowed: ClothMesh | null = null;
  private waiting: ArrayBuffer | null = null;
  private counted = { since: performance.now(), frames: 0 };
  private framed = false;
  /** where the person stands [m] */
  private at: [number, number] = [0, 0];
  private readonly pins = new Map<number, THREE.Mesh>();
  private lit: THREE.Group | null = null;

  constructor(readonly host: HTMLElement, readonly number: number) {
    this.stage = new Stage(host, { label: t("stage.label"), hair: true });
    this.stage.onTick = () => this.tick();
    this.paint();
  }

  /** Wall and floor in the colours of the page. */
  paint(): void {
    this.stage.setBackground(getComputedStyle(document.documentElement).getPropertyValue("--studio-near").trim());
  }

  async takeMesh(head: MeshHead): Promise<void> {
    for await (const block of readBlocks(head.file)) {
      if (block.kind !== "HEAD") continue;
      if (head.kind === "body") this.takeBody(head.mesh, block);
      else this.takeCloth(head.mesh, block);
    }
  }

  /** A frame came: the newest is drawn with the next picture, those before it are thrown away. */
  takeFrame(data: ArrayBuffer): void {
    if (this.borrowed) return link.acknowledge(data);
    if (this.waiting) link.acknowledge(this.waiting);
    this.waiting = data;
    this.stage.redraw();
  }

  positionOf(particle: number): [number, number, number] | null {
    const p = this.frame?.positions;
    return p && 3 * particle + 2 < p.length ? [p[3 * particle]!, p[3 * particle + 1]!, p[3 * particle + 2]!] : null;
  }

  /** Everything in the middle of the picture. */
  whole(seconds = 0.6): void {
    const box = new THREE.Box3();
    if (this.frame?.positions.length) box.setFromArray(this.frame.positions);
    if (this.body && this.bodyNumber) box.union(new THREE.Box3().setFromArray(this.body.vertices));
    if (box.isEmpty()) return;
    const size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3());
    const tall = Math.max(size.y, size.x * (this.host.clientHeight / Math.max(this.host.clientWidth, 1)), 0.4);
    this.stage.glide({ target: [middle.x, middle.y, middle.z], distance: 1.12 * tall / (2 * Math.tan((27 * Math.PI) / 360)) }, seconds);
  }

  /** Lines along edges of pieces. */
  light(lines: { garment: number; edges: readonly EdgeAt[]; colour: string }[]): void {
    this.dark();
    const { frame, map } = this;
    if (!lines.length || !frame || !map) return this.stage.redraw();
    this.lit = new THREE.Group();
    for (const { garment, edges, colour } of lines) {
      for (const at of edges) {
        const piece = state.pieces.get(`${garment}/${at.piece}`), particles = piece ? map.along(piece, at.edge) : [];
        if (particles.length < 2) continue;
        const way = particles.map((p) => new THREE.Vector3().fromArray(frame.positions, 3 * p));
        const curve = new THREE.CatmullRomCurve3(way, false, "centripetal");
        const tube = new THREE.Mesh(new THREE.TubeGeometry(curve, Math.min(3 * way.length, 240), 0.0045, 6), new THREE.MeshBasicMaterial({ color: colour, toneMapped: false }));
        this.lit.add(tube);
      }
    }
    this.stage.extras.add(this.lit);
    this.stage.redraw();
  }

  private dark(): void {
    if (!this.lit) return;
    this.stage.extras.remove(this.lit);
    for (const tube of this.lit.children as THREE.Mesh[]) {
      tube.geometry.dispose();
      (tube.material as THREE.Material).dispose();
    }
    this.lit = null;
  }

  /** Heads of pins where particles are held. */
  showPins(particles: Iterable<number>): void {
    const wanted = new Set(particles);
    for (const [particle, mesh] of this.pins) {
      if (wanted.has(particle)) continue;
      this.stage.extras.remove(mesh);
      this.pins.delete(particle);
    }
    for (const particle of wanted) {
      if (this.pins.has(particle)) continue;
      const mesh = new THREE.Mesh(PIN, PIN_COLOUR);
      this.pins.set(particle, mesh);
      this.stage.extras.add(mesh);
    }
    this.placePins();
    this.stage.redraw();
  }

  setMaterial(part: number, material: MaterialSpec): void {
    this.stage.setMaterial(part, material);
  }

  set onGrab(grab: ((hit: ClothHit) => Grab | null) | null) {
    this.stage.onGrab = grab;
  }

  dispose(): void {
    if (this.waiting) link.acknowledge(this.waiting);
    this.dark();
    this.stage.dispose();
  }

  private takeBody(mesh: number, head: Block): void {
    const body = readBody(head), before = this.body;
    this.bodyNumber = mesh;
    if (!body) return;
    const same = before && before.vertices.length === body.vertices.length && before.triangles.length === body.triangles.length && before.jointCount === body.jointCount;
    this.body = body;
    if (this.borrowed) return;
    if (same) this.stage.setBodyVertices(body.vertices);
    else {
      this.stage.setBody(body);
      this.framed = false;
    }
    this.host.dataset["body"] = String(mesh);
    if (!this.framed) this.whole(0);
    this.framed = true;
  }

  private takeCloth(mesh: number, head: Block): void {
    const count = Number(head.meta.particles);
    this.clothNumber = mesh;
    if (!this.borrowed) this.frame = null;
    this.dark();
    this.showPins([]);
    this.host.dataset["cloth"] = String(mesh);
    if (!(count > 0)) {
      this.cloth = this.map = null;
      return this.stage.setCloth(null);
    }
    this.cloth = readCloth(head, count);
    if (!this.borrowed) this.stage.setCloth(this.cloth);
    const names = strings(head.meta.panel_names), panel = head.arrays.get("panel")?.values;
    this.map = panel ? new ClothMap(this.cloth, panel, names, this.owners(panel, names.length)) : null;
  }

  /** Garment of each piece, by the parts that its triangles lie in. */
  private owners(panel: ArrayLike<number>, count: number): number[] {
    const owner = new Array<number>(count).fill(0), { triangles, parts } = this.cloth!;
    for (const part of parts) for (let k = 3 * part.start; k < 3 * (part.start + part.count); k += 3) owner[panel[triangles[k]!]!] = part.garment;
    return owner;
  }

  private tick(): boolean {
    const data = this.waiting;
    this.waiting = null;
    if (!data) return false;
    const { mesh } = frameHead(data), frame = mesh === this.clothNumber || !this.clothNumber ? readFrame(data) : null;
    // room for the next one before the work of drawing
    link.acknowledge(data);
    if (frame) this.show(frame);
    return false;
  }

  private show(frame: Frame): void {
    this.frame = frame;
    const fits = this.cloth && frame.positions.length === 3 * this.cloth.particleCount;
    this.stage.setFrame({ ...(fits ? { positions: frame.positions } : {}), ...(frame.joints && frame.bodyMesh === this.bodyNumber ? { joints: frame.joints } : {}) });
    if (fits) this.stage.setClothValues(frame.overlay ? Float32Array.from(frame.overlay, FARTHER.has(state.hello?.overlays[frame.overlayKind] ?? "") ? (step) => 1 - step / 255 : (step) => step / 255) : null);
    this.keepInSight(frame);
    this.placePins();
    if (!this.framed && fits && this.frame) {
      this.whole(0);
      this.framed = true;
    }
    this.host.dataset["frame"] = String(frame.number);
    this.count();
    link.seen(frame.answers);
    this.onShown?.(frame);
  }

  /** The stage shows what the engine in the page computes, with its own order of particles. */
  borrow(body: BodyMesh | null, cloth: ClothMesh, tick: (time: number) => boolean): void {
    this.borrowed = cloth;
    this.stage.setBody(body);
    this.stage.setCloth(cloth);
    this.stage.onTick = tick;
    this.dark();
    this.showPins([]);
  }

  showOwn(positions: Float32Array, normals: Float32Array, joints: Float32Array, took: number): void {
    this.stage.setFrame({ positions, normals, joints });
    this.frame = { ...EMPTY, positions, joints, took, number: (this.frame?.number ?? 0) + 1 };
    this.host.dataset["frame"] = `page-${this.frame.number}`;
    this.keepInSight(this.frame);
    this.placePins();
    this.count();
    this.onShown?.(this.frame);
  }

  giveBack(): void {
    this.borrowed = null;
    this.frame = null;
    this.stage.onTick = () => this.tick();
    this.stage.setBody(this.body);
    this.stage.setCloth(this.cloth);
    this.showPins([]);
  }

  /** The next mesh gets the whole picture again, as when another scene is opened. */
  reframe(): void {
    this.framed = false;
  }

  /** The camera goes along with whoever walks; cloth that is pulled about does not move it. */
  private keepInSight(frame: Frame): void {
    const { joints } = frame;
    if (!joints || frame.bodyMesh === 0) return;
    // the hips, which sway less than the root turns
    const [x, z] = [HIPS * joints[1]! + joints[3]!, HIPS * joints[9]! + joints[11]!];
    if (Math.hypot(x - this.at[0], z - this.at[1]) < 0.002) return;
    const [dx, dz] = [x - this.at[0], z - this.at[1]], target = this.stage.view.target;
    this.at = [x, z];
    this.stage.follow(target[0] + dx, target[2] + dz);
  }

  private placePins(): void {
    for (const [particle, mesh] of this.pins) {
      const at = this.positionOf(particle);
      if (at) mesh.position.set(...at);
    }
  }

  private count(): void {
    const now = performance.now(), { counted } = this;
    counted.frames++;
    if (now - counted.since < 1000) return;
    this.fps = (1000 * counted.frames) / (now - counted.since);
    this.counted = { since: now, frames: 0 };
  }
}

/** above the floor at rest [m] */
const HIPS = 0.95;
/** maps in which more is looser: what lies close has the colour of what is tight */
export const FARTHER = new Set(["fit"]);
const EMPTY: Frame = {
  side: 0, mesh: 0, number: 0, bodyMesh: 1, time: 0, overlayKind: 0, running: true, sewing: false, asleep: false, recorded: false, answers: 0, took: 0,
  positions: new Float32Array(), joints: null, overlay: null,
};
const PIN = new THREE.SphereGeometry(0.008, 12, 8), PIN_COLOUR = new THREE.MeshBasicMaterial({ color: "#b3261e", toneMapped: false });

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
