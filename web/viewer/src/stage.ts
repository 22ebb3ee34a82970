import * as THREE from "three";
import { BodyView } from "./body";
import { Camera } from "./camera";
import { ClothView } from "./cloth";
import { Room } from "./room";
import type { BodyMesh, ClothHit, ClothMesh, FrameData, MaterialSpec, View } from "./types";

export interface StageOptions {
  /** wall and floor, "#rrggbb" */
  readonly background?: string;
  /** the body's skin, "#rrggbb" */
  readonly tone?: string;
  /** "low": what software rendering and old phones can bear; left out: found out */
  readonly quality?: "high" | "low";
  /** short hair of our own making on bodies; for those that have none */
  readonly hair?: boolean;
  /** what a screen reader says about the picture */
  readonly label?: string;
}

/** What a pointer does on the cloth; see Stage.onGrab. */
export interface Grab {
  /** the pointer moved: where it is now, as far from the camera as it began [m] */
  move(point: readonly [number, number, number]): void;
  /** let go */
  end(): void;
}

/** A lit studio with a dressed body in it. Pictures are drawn only when something changed. */
export class Stage {
  readonly canvas: HTMLCanvasElement;
  /** called with a hit when a pointer goes down on cloth; what it returns follows the pointer, null leaves it to the camera */
  onGrab: ((hit: ClothHit) => Grab | null) | null = null;
  /** called before each picture with the time [ms]; returns whether it wants another one */
  onTick: ((time: number) => boolean) | null = null;
  /** what a page adds to the room: lines, marks, arrows; call redraw() after changes */
  readonly extras = new THREE.Group();
  /** the device draws slowly, so that shadows and sheen are simpler */
  readonly simple: boolean;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly room: Room;
  private readonly eye: Camera;
  private readonly resize: ResizeObserver;
  private readonly off = new AbortController();
  private body: BodyView | null = null;
  private cloth: ClothView | null = null;
  private tape: THREE.Mesh | null = null;
  private drawing: "look" | "wire" | "normals" = "look";
  private tone: string;
  private readonly hair: boolean;
  private changed = true;
  private asked = 0;
  /** leads what a pointer holds */
  private held: (() => void) | null = null;

  /** Fills the container; throws where the browser has no WebGL 2. */
  constructor(private readonly container: HTMLElement, options: StageOptions = {}) {
    this.canvas = document.createElement("canvas");
    Object.assign(this.canvas.style, { display: "block", width: "100%", height: "100%", touchAction: "none" });
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", options.label ?? "Dressed body, turns with the arrow keys");
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, powerPreference: "high-performance" });
    this.simple = (options.quality ?? foundQuality(this.renderer)) === "low";
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 0.95;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    container.append(this.canvas);
    this.tone = options.tone ?? "#c6a793";
    this.hair = options.hair ?? false;
    this.scene.add(this.extras);
    this.room = new Room(this.scene, this.renderer, this.simple);
    if (options.background) this.room.setBackground(options.background);
    // before the camera, so that a grab takes the pointer first
    this.canvas.addEventListener("pointerdown", (event) => this.grab(event), { signal: this.off.signal });
    this.eye = new Camera(this.canvas, () => this.ask());
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(container);
    this.fit();
    this.ask();
  }

  /** A body at rest, or none. */
  setBody(body: BodyMesh | null): void {
    if (this.body) this.scene.remove(this.body.mesh);
    this.body?.dispose();
    this.body = body && new BodyView(body, this.tone, this.hair);
    if (this.body) this.scene.add(this.body.mesh);
    this.redraw();
  }

  /** Other rest positions of the same body, as while a measure is changed. */
  setBodyVertices(vertices: Float32Array): void {
    this.body?.setVertices(vertices);
    this.redraw();
  }

  /** Garments, or none; they are seen from the first frame on. */
  setCloth(cloth: ClothMesh | null): void {
    if (this.cloth) this.scene.remove(this.cloth.mesh);
    this.cloth?.dispose();
    this.cloth = cloth && new ClothView(cloth, this.simple, () => this.redraw());
    this.cloth?.setDrawing(this.drawing);
    this.redraw();
  }

  setFrame(frame: FrameData): void {
    if (frame.joints) this.body?.setJoints(frame.joints);
    if (frame.positions && this.cloth) {
      this.cloth.setPositions(frame.positions, frame.normals);
      if (!this.cloth.mesh.parent) this.scene.add(this.cloth.mesh);
    }
    this.redraw();
  }

  setMaterial(part: number, material: MaterialSpec): void {
    this.cloth?.setMaterial(part, material);
    this.redraw();
  }

  /** How the cloth fits, from 0 loose to 1 too tight, one value a particle; null: its colours again. */
  setClothValues(values: Float32Array | null): void {
    this.cloth?.setValues(values);
    this.redraw();
  }

  /** How the cloth is drawn: as it looks, as its triangles, or coloured by which way it faces. */
  setDrawing(way: "look" | "wire" | "normals"): void {
    this.drawing = way;
    this.cloth?.setDrawing(way);
    this.redraw();
  }

  /** A measuring tape along these points [m], 3 numbers each; null: none. */
  setTape(points: Float32Array | null): void {
    if (this.tape) this.scene.remove(this.tape);
    this.tape?.geometry.dispose();
    this.tape = points && tape(points);
    if (this.tape) this.scene.add(this.tape);
    this.redraw();
  }

  setTone(tone: string): void {
    this.tone = tone;
    this.body?.setTone(tone);
    this.redraw();
  }

  setBackground(color: string): void {
    this.room.setBackground(color);
    this.redraw();
  }

  /** Goes to a view, easing out; people who ask for less motion get there at once. */
  glide(view: View, seconds = 0.6): void {
    this.eye.glide(view, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : seconds);
    this.ask();
  }

  get view(): Required<View> {
    return this.eye.view;
  }

  /** Camera, light and floor go along with a person at this place [m]. */
  follow(x: number, z: number): void {
    this.eye.carry(x, z);
    this.room.follow(x, 0.9, z);
    this.redraw();
  }

  /** The cloth under a pointer. */
  under(event: PointerEvent): ClothHit | null {
    return this.cloth?.mesh.parent ? this.cloth.hit(this.ray(event)) : null;
  }

  /** Where a place [m] is seen, from the picture's left upper corner [px]. */
  seen(place: readonly [number, number, number]): [number, number] {
    this.eye.camera.updateMatrixWorld();
    const at = new THREE.Vector3(...place).project(this.eye.camera);
    return [(0.5 + 0.5 * at.x) * this.container.clientWidth, (0.5 - 0.5 * at.y) * this.container.clientHeight];
  }

  /** The next picture at once, as a PNG. */
  async picture(): Promise<Blob> {
    this.draw(performance.now());
    return new Promise((found, failed) => this.canvas.toBlob((blob) => (blob ? found(blob) : failed(new Error("no picture"))), "image/png"));
  }

  /** Asks for another picture; onTick is called before it. */
  redraw(): void {
    this.changed = true;
    this.ask();
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    this.asked = -1;
    this.off.abort();
    this.resize.disconnect();
    this.eye.dispose();
    this.body?.dispose();
    this.cloth?.dispose();
    this.tape?.geometry.dispose();
    this.room.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }

  private ask(): void {
    if (this.asked === 0) this.asked = requestAnimationFrame((time) => this.tick(time));
  }

  private tick(time: number): void {
    if (this.asked < 0) return;
    this.asked = 0;
    this.held?.();
    if (this.onTick?.(time)) this.ask();
    if (this.changed || this.eye.moved) this.draw(time);
  }

  private draw(time: number): void {
    this.changed = this.eye.moved = false;
    this.eye.update(time);
    this.renderer.render(this.scene, this.eye.camera);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.simple ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.eye.camera.aspect = width / height;
    // a narrow picture still holds the whole person
    this.eye.camera.fov = width < 0.62 * height ? 2 * (180 / Math.PI) * Math.atan((Math.tan((27 * Math.PI) / 360) * 0.62 * height) / width) : 27;
    this.eye.camera.updateProjectionMatrix();
    this.redraw();
  }

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    const at = new THREE.Vector2(2 * ((event.clientX - box.left) / box.width) - 1, 1 - 2 * ((event.clientY - box.top) / box.height));
    ray.setFromCamera(at, this.eye.camera);
    return ray;
  }

  private grab(event: PointerEvent): void {
    if (!this.onGrab || !this.cloth || this.eye.taken !== null) return;
    const hit = this.cloth.hit(this.ray(event)), grab = hit && this.onGrab(hit);
    if (!hit || !grab) return;
    this.eye.taken = event.pointerId;
    this.canvas.setPointerCapture(event.pointerId);
    const { camera } = this.eye, facing = (): THREE.Vector3 => camera.getWorldDirection(new THREE.Vector3());
    const depth = new THREE.Vector3(...hit.point).sub(camera.position).dot(facing());
    const done = new AbortController();
    let last = event;
    // as deep in the picture as where it began; the camera may go along with a person meanwhile
    this.held = () => {
      const ahead = facing(), at = camera.position.clone().addScaledVector(ahead, depth);
      const point = this.ray(last).ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(ahead, at), new THREE.Vector3());
      if (point) grab.move([point.x, point.y, point.z]);
    };
    const move = (e: PointerEvent): void => {
      if (e.pointerId !== event.pointerId) return;
      last = e;
      this.held?.();
    };
    const end = (e: PointerEvent): void => {
      if (e.pointerId !== event.pointerId) return;
      done.abort();
      this.held = null;
      this.eye.taken = null;
      grab.end();
    };
    this.canvas.addEventListener("pointermove", move, { signal: done.signal });
    for (const name of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(name, end, { signal: done.signal });
  }
}

const CHALK = new THREE.MeshBasicMaterial({ color: "#2b4a92", toneMapped: false });

/** A thin tube a little off the skin. */
function tape(points: Float32Array): THREE.Mesh {
  const way = Array.from({ length: points.length / 3 }, (_, i) => new THREE.Vector3().fromArray(points, 3 * i));
  const closed = way.length > 2 && way[0]!.distanceTo(way.at(-1)!) < 0.03;
  if (closed && way[0]!.distanceTo(way.at(-1)!) < 1e-5) way.pop();
  const curve = new THREE.CatmullRomCurve3(way, closed, "centripetal");
  return new THREE.Mesh(new THREE.TubeGeometry(curve, Math.max(3 * way.length, 48), 0.0035, 8, closed), CHALK);
}

function foundQuality(renderer: THREE.WebGLRenderer): "high" | "low" {
  const gl = renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software/i.test(name) ? "low" : "high";
}
