import { ToileError, type LiveFrame, type LiveScene } from "toile-engine";
import { readBody, readCloth, readMaterial, sceneBody } from "./dressed";
import { choice, slider } from "./parts";
import { followBody, frameWhole } from "./playback";
import type { Stage } from "./stage";

const FRAME = 1000 / 60;
/** slower than this for a second and the recording looks better [ms a frame] */
const TOO_SLOW = 45;
/** how long the body takes from one motion to another [s] */
const SWAP = 0.6;

/** Draws a scene that lives, and hands on what people do to it. */
export class LivePlayer {
  /** frames drawn a second, of the last second */
  fps = 0;
  private shown: LiveFrame | null = null;
  private drawn = 0;
  private counted = { since: performance.now(), frames: 0 };

  /** stopped: called when the scene cannot go on, with the reason. */
  constructor(private readonly stage: Stage, readonly scene: LiveScene, private readonly bar: HTMLElement, private readonly stopped: (why: string) => void) {
    const count = Number(scene.head.meta.particles);
    if (!Number.isInteger(count) || count < 1) throw new ToileError("the scene does not say how much cloth it has");
    stage.setBody(scene.body ? sceneBody(scene.body, scene.jointCount) : readBody(scene.head));
    stage.setCloth(readCloth(scene.head, count));
    scene.onProblem = (message, fatal) => {
      if (fatal) stopped(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
    };
    stage.onGrab = (hit) => {
      scene.run({ do: "grab", particle: hit.particle });
      return { move: ([x, y, z]) => scene.run({ do: "drag", x, y, z }), end: () => scene.run({ do: "release" }) };
    };
    this.addControls();
    stage.onTick = (time) => this.tick(time);
    const first = scene.next();
    if (first) {
      this.show(first);
      frameWhole(stage, first.positions);
    }
    // two frames are always on their way
    scene.want(2);
    stage.redraw();
  }

  setFabric(index: number): void {
    this.scene.run({ do: "fabric", index });
    const list = this.scene.head.meta.fabrics as { look?: unknown }[], parts = (this.scene.head.meta.parts as unknown[]).length;
    for (let part = 0; part < parts; part++) this.stage.setMaterial(part, readMaterial(list[index]?.look));
  }

  dispose(): void {
    this.stage.onTick = this.stage.onGrab = null;
    this.scene.close();
    this.bar.replaceChildren();
    this.bar.hidden = true;
  }

  private tick(time: number): boolean {
    if (time - this.drawn < FRAME - 3) return true;
    const frame = this.scene.next();
    if (!frame) return true;
    this.drawn = Math.max(time - FRAME, Math.min(this.drawn + FRAME, time));
    const before = this.shown;
    this.show(frame);
    this.scene.want(1, before ?? undefined);
    this.count(time);
    if (this.scene.measured >= 60 && this.scene.frameTime > TOO_SLOW) this.stopped("This device is too slow to compute the cloth as it moves.");
    return true;
  }

  private show(frame: LiveFrame): void {
    this.shown = frame;
    this.stage.setFrame(frame);
    followBody(this.stage, frame);
    this.stage.canvas.dataset.live = String(frame.number);
  }

  private count(time: number): void {
    this.counted.frames++;
    if (time - this.counted.since < 1000) return;
    this.fps = (1000 * this.counted.frames) / (time - this.counted.since);
    this.stage.canvas.dataset.fps = this.fps.toFixed(1);
    this.counted = { since: time, frames: 0 };
  }

  private addControls(): void {
    const { scene } = this, motions = (scene.head.meta.motions as unknown[] | undefined)?.map((name) => title(String(name))) ?? [];
    const wind = slider("Wind", { min: 0, max: 8, step: 0.5, value: 0 }, (v) => `${v.toFixed(1)} m/s`, (v) => scene.run({ do: "wind", x: 0.35 * v, y: 0, z: -0.94 * v }));
    const speed = slider("Pace", { min: 0, max: 1.6, step: 0.1, value: 1 }, (v) => `${v.toFixed(1)} ×`, (v) => scene.run({ do: "speed", value: v }));
    const controls: Node[] = [wind, speed];
    if (motions.length > 1) controls.push(choice("Motion", motions, 0, (motion) => scene.run({ do: "play", motion, seconds: SWAP })));
    if (scene.fabrics.length > 1) controls.push(choice("Fabric", scene.fabrics.map((f) => title(f.name)), 0, (index) => this.setFabric(index)));
    this.bar.replaceChildren(...controls);
    this.bar.hidden = false;
  }
}

const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
