import { element } from "./parts";
import type { RecordingFile } from "./recording";
import type { Stage } from "./stage";
import type { FrameData } from "./types";

/** Plays a recording on a stage, at the display's rate. */
export class Playback {
  playing: boolean;
  /** where it is [s] */
  time = 0;
  private last: number | null = null;
  private readonly button = element("button", { type: "button" });
  private readonly scrub = element("input", { type: "range", class: "time", min: "0", value: "0", step: "any", "aria-label": "Time" });

  constructor(private readonly stage: Stage, private readonly file: RecordingFile, private readonly bar: HTMLElement, playing: boolean) {
    const moves = file.frameCount > 1, calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.playing = moves && playing && !calm;
    stage.setBody(file.body);
    stage.setCloth(file.cloth);
    this.scrub.max = String(file.duration);
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.scrub.addEventListener("input", () => {
      this.play(false);
      this.time = this.scrub.valueAsNumber;
      this.show();
    });
    bar.replaceChildren(this.button, this.scrub);
    bar.hidden = !moves;
    stage.onTick = (time) => this.tick(time);
    this.show();
    frameWhole(stage, file.at(0).positions!);
    this.play(this.playing);
  }

  play(yes: boolean): void {
    this.playing = yes;
    this.last = null;
    this.button.textContent = yes ? "Pause" : "Play";
    this.stage.redraw();
  }

  /** Further frames arrived. */
  grown(): void {
    this.stage.redraw();
  }

  dispose(): void {
    this.stage.onTick = null;
    this.bar.replaceChildren();
  }

  private tick(time: number): boolean {
    if (!this.playing) return false;
    const arrived = (this.file.ready - 1) / this.file.fps, whole = this.file.ready === this.file.frameCount;
    const next = this.time + (this.last === null ? 0 : Math.min(time - this.last, 100) / 1000);
    this.last = time;
    // waits for what has not arrived yet
    this.time = whole ? next % Math.max(this.file.duration, 1e-3) : Math.min(next, arrived);
    this.scrub.value = String(this.time);
    this.show();
    return true;
  }

  private show(): void {
    const frame = this.file.at(this.time);
    this.stage.setFrame(frame);
    followBody(this.stage, frame);
    this.stage.canvas.dataset.shown = String(Math.round(this.time * this.file.fps));
  }
}

/** Camera and light go along with the middle of the cloth. */
export function followBody(stage: Stage, frame: FrameData): void {
  const box = boxOf(frame.positions!);
  stage.follow((box[0]! + box[3]!) / 2, (box[2]! + box[5]!) / 2);
}

/** Puts the whole person into the picture. */
export function frameWhole(stage: Stage, positions: Float32Array): void {
  const top = Math.max(boxOf(positions)[4]! + 0.3, 1.2);
  stage.glide({ target: [stage.view.target[0], top / 2, stage.view.target[2]], distance: 2.55 * top, azimuth: 0.45, elevation: 0.06 }, 0);
}

function boxOf(positions: Float32Array): [number, number, number, number, number, number] {
  const box: [number, number, number, number, number, number] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    const axis = i % 3, value = positions[i]!;
    if (value < box[axis]!) box[axis] = value;
    if (value > box[axis + 3]!) box[axis + 3] = value;
  }
  return positions.length ? box : [0, 0, 0, 0, 1, 0];
}
