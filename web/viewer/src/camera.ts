import * as THREE from "three";
import type { View } from "./types";

const LOWEST = -0.05, HIGHEST = 1.45;

/** Turns round the body with pointer, wheel, pinch and arrow keys; glides; never goes below the floor. */
export class Camera {
  readonly camera = new THREE.PerspectiveCamera(27, 1, 0.05, 40);
  /** something moved since the last picture */
  get moved(): boolean {
    return this.stale;
  }
  set moved(yes: boolean) {
    this.stale = yes;
    if (yes) this.ask();
  }
  /** a pointer that something else took does not turn the camera */
  taken: number | null = null;
  private stale = true;
  private now = { azimuth: 0.35, elevation: 0.08, distance: 4.2, x: 0, y: 0.9, z: 0 };
  private goal: typeof this.now | null = null;
  private from = this.now;
  private since = 0;
  private lasts = 0;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private readonly off = new AbortController();

  /** ask: called whenever another picture is wanted. */
  constructor(private readonly element: HTMLElement, private readonly ask: () => void) {
    const signal = this.off.signal;
    element.addEventListener("pointerdown", (e) => this.down(e), { signal });
    element.addEventListener("pointermove", (e) => this.move(e), { signal });
    for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, (e) => this.pointers.delete(e.pointerId), { signal });
    element.addEventListener("wheel", (e) => this.wheel(e), { signal, passive: false });
    element.addEventListener("keydown", (e) => this.press(e), { signal });
  }

  /** Goes to a view; seconds 0: at once. What the view leaves out stays. */
  glide(view: View, seconds: number): void {
    const [x, y, z] = view.target ?? [this.now.x, this.now.y, this.now.z];
    const goal = {
      azimuth: nearestTurn(this.now.azimuth, view.azimuth ?? this.now.azimuth),
      elevation: clamp(view.elevation ?? this.now.elevation, LOWEST, HIGHEST),
      distance: clamp(view.distance ?? this.now.distance, 0.3, 15), x, y, z,
    };
    this.moved = true;
    if (seconds <= 0) {
      this.now = goal;
      this.goal = null;
      return;
    }
    this.from = this.now;
    this.goal = goal;
    this.since = performance.now();
    this.lasts = 1000 * seconds;
  }

  /** The middle of the picture goes along with a walking person. */
  carry(x: number, z: number): void {
    if (this.goal) Object.assign(this.goal, { x, z });
    Object.assign(this.now, { x, z });
    this.moved = true;
  }

  get view(): Required<View> {
    const { azimuth, elevation, distance, x, y, z } = this.now;
    return { azimuth, elevation, distance, target: [x, y, z] };
  }

  /** Puts the camera where it is at this time [ms]. */
  update(time: number): void {
    if (this.goal) {
      const part = Math.min((time - this.since) / this.lasts, 1), eased = 1 - (1 - part) ** 3;
      const mix = (a: number, b: number): number => a + eased * (b - a);
      const { from, goal } = this;
      this.now = {
        azimuth: mix(from.azimuth, goal.azimuth), elevation: mix(from.elevation, goal.elevation), distance: mix(from.distance, goal.distance),
        x: mix(from.x, goal.x), y: mix(from.y, goal.y), z: mix(from.z, goal.z),
      };
      this.moved = true;
      if (part >= 1) this.goal = null;
    }
    const { azimuth, elevation, distance, x, y, z } = this.now;
    const flat = distance * Math.cos(elevation);
    this.camera.position.set(x + flat * Math.sin(azimuth), Math.max(y + distance * Math.sin(elevation), 0.05), z + flat * Math.cos(azimuth));
    this.camera.lookAt(x, y, z);
  }

  dispose(): void {
    this.off.abort();
  }

  private turn(dx: number, dy: number): void {
    this.goal = null;
    this.now.azimuth -= dx;
    this.now.elevation = clamp(this.now.elevation + dy, LOWEST, HIGHEST);
    this.moved = true;
  }

  private zoom(factor: number): void {
    this.goal = null;
    this.now.distance = clamp(this.now.distance * factor, 0.5, 12);
    this.moved = true;
  }

  private down(event: PointerEvent): void {
    if (this.taken === event.pointerId) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.element.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    if (!last || this.taken === event.pointerId) return;
    const here = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 1) this.turn((here.x - last.x) * 0.008, (here.y - last.y) * 0.006);
    else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) this.zoom(Math.hypot(last.x - other.x, last.y - other.y) / Math.max(Math.hypot(here.x - other.x, here.y - other.y), 1));
    }
    this.pointers.set(event.pointerId, here);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(Math.exp(clamp(event.deltaY, -200, 200) * 0.0012));
  }

  private press(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { ArrowLeft: [0.12, 0], ArrowRight: [-0.12, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };
    const turn = turns[event.key];
    if (turn) this.turn(...turn);
    else if (event.key === "+" || event.key === "=") this.zoom(0.9);
    else if (event.key === "-") this.zoom(1.11);
    else return;
    event.preventDefault();
  }
}

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

function nearestTurn(from: number, to: number): number {
  return to + 2 * Math.PI * Math.round((from - to) / (2 * Math.PI));
}
