import type { LiveFrame, LiveScene } from "toile-engine";
import { readBody, readCloth, readMaterial, sceneBody } from "./dressed";
import { choice, slider } from "./parts";
import { followBody, frameWhole } from "./playback";
import type { Stage } from "./stage";
import type { MaterialSpec } from "./types";

/** where frames take longer than this, half as many a second are computed, each twice as long [ms] */
const SLOW = 15;
/** slower than this even so, and the recording looks better [ms a frame] */
const TOO_SLOW = 45;
/** how long the body takes from one motion to another [s] */
const SWAP = 0.6;
/** and from the pose in which the clothes were sewn, with the arms held away [s] */
const FIRST = 1.2;

/** Draws a scene that lives, and hands on what people do to it. */
export class LivePlayer {
  /** frames drawn a second, of the last second */
  fps = 0;
  private shown: LiveFrame | null = null;
  private drawn = 0;
  /** computed frames a second */
  private rate = 60;
  private readonly parts: readonly MaterialSpec[];
  private counted = { since: performance.now(), frames: 0 };

  /** stopped: called when the scene cannot go on, with the reason. */
  constructor(private readonly stage: Stage, readonly scene: LiveScene, private readonly bar: HTMLElement | null, private readonly stopped: (why: string) => void) {
    // before anything is shown: whoever was on the stage stays there if the scene makes no sense
    const body = scene.body ? sceneBody(scene.body, scene.jointCount) : readBody(scene.head), cloth = readCloth(scene.head, scene.particleCount);
    this.parts = cloth.parts.map((part) => part.material);
    stage.setBody(body);
    stage.setCloth(cloth);
    scene.onProblem = (message, fatal) => {
      if (fatal) stopped(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
    };
    stage.onGrab = (hit) => {
      scene.run({ do: "grab", particle: hit.particle });
      return { move: ([x, y, z]) => scene.run({ do: "drag", x, y, z }), end: () => scene.run({ do: "release" }) };
    };
    const begins = Number(scene.head.meta.begins);
    if (begins > 0) scene.run({ do: "play", motion: begins, seconds: FIRST });
    this.addControls(begins > 0 ? begins : 0);
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
    const list = this.scene.head.meta.fabrics as { look?: unknown }[];
    // the first one: what each part was sewn of
    this.parts.forEach((own, part) => this.stage.setMaterial(part, index === 0 ? own : readMaterial(list[index]?.look)));
  }

  dispose(): void {
    this.stage.onTick = this.stage.onGrab = null;
    this.scene.close();
    this.bar?.replaceChildren();
    if (this.bar) this.bar.hidden = true;
  }

  private tick(time: number): boolean {
    const frameTime = 1000 / this.rate;
    if (time - this.drawn < frameTime - 3) return true;
    const frame = this.scene.next();
    if (!frame) return true;
    this.drawn = Math.max(time - frameTime, Math.min(this.drawn + frameTime, time));
    const before = this.shown;
    this.show(frame);
    this.scene.want(1, before ?? undefined);
    this.count(time);
    if (this.scene.measured >= 60) this.judge(this.scene.frameTime);
    return true;
  }

  /** Time goes as fast as outside, or the recording is shown. */
  private judge(took: number): void {
    if (this.rate === 60 && took > SLOW) {
      this.rate = 30;
      this.scene.run({ do: "rate", value: 30 });
    } else if (took > TOO_SLOW) this.stopped("This device is too slow to compute the cloth as it moves.");
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

  private addControls(motion: number): void {
    if (!this.bar) return;
    const { scene } = this, motions = (scene.head.meta.motions as unknown[] | undefined)?.map((name) => title(String(name))) ?? [];
    const wind = slider("Wind", { min: 0, max: 8, step: 0.5, value: 0 }, (v) => `${v.toFixed(1)} m/s`, (v) => scene.run({ do: "wind", x: 0.35 * v, y: 0, z: -0.94 * v }));
    const speed = slider("Pace", { min: 0, max: 1.6, step: 0.1, value: 1 }, (v) => `${v.toFixed(1)} ×`, (v) => scene.run({ do: "speed", value: v }));
    const controls: Node[] = [wind, speed];
    if (motions.length > 1) controls.push(choice("Motion", motions, motion, (motion) => scene.run({ do: "play", motion, seconds: SWAP })));
    if (scene.fabrics.length > 1) controls.push(choice("Fabric", scene.fabrics.map((f) => title(f.name)), 0, (index) => this.setFabric(index)));
    this.bar.replaceChildren(...controls);
    this.bar.hidden = false;
  }
}

const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
