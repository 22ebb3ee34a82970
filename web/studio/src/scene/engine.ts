/** Two engines behind one interface: the studio's process, and the engine in the page, which has no way to go. */
import { LiveScene, ToileError, type LiveFrame } from "toile-engine";
import { liveBody, readCloth } from "toile-viewer";
import { say } from "../parts/say";
import { state } from "../state";
import { t } from "../texts";
import { link } from "./link";
import type { Side } from "./side";

type Triple = [number, number, number];

/** What hands and time do to the cloth of one side. */
export interface Engine {
  grab(particle: number, to: Triple): void;
  letGo(velocity: Triple): void;
  pin(particles: readonly number[]): void;
  unpin(particles: readonly number[]): void;
  wind(wind: Triple): void;
  play(on: boolean): void;
  readonly playing: boolean;
}

/** The studio's process: every method, and sewing. */
export const remote = (side: 0 | 1): Engine => ({
  grab: (particle, to) => link.send({ type: "grab", particle, to, side }),
  letGo: (velocity) => link.send({ type: "let_go", velocity, side }),
  pin: (particles) => link.send({ type: "pin", particles: [...particles], side }),
  unpin: (particles) => link.send({ type: "unpin", particles: [...particles], side }),
  wind: () => undefined,
  play: (on) => link.send({ type: "play", on }),
  get playing() {
    return state.status?.playing ?? false;
  },
});

/** The default method, computed in a Worker of this page. */
export class InPage implements Engine {
  playing = true;
  private shown: LiveFrame | null = null;
  private readonly pinned = new Set<number>();
  private drawn = 0;
  private held = -1;

  private constructor(private readonly side: Side, readonly scene: LiveScene) {}

  static async open(side: Side, file: Uint8Array, stopped: (why: string) => void): Promise<InPage> {
    const scene = await LiveScene.open(file, { engine: new URL("../engine/", document.baseURI) });
    const made = new InPage(side, scene), count = Number(scene.head.meta.particles);
    if (!(count > 0)) throw new ToileError(t("inpage.empty"));
    side.borrow(liveBody(scene), readCloth(scene.head, count), (time) => made.tick(time));
    scene.onProblem = (message, fatal) => (fatal ? stopped(message) : say(message, true));
    made.take();
    // two frames are always on their way
    scene.want(2);
    return made;
  }

  grab(particle: number, to: Triple): void {
    if (particle !== this.held) this.scene.run({ do: "grab", particle });
    this.held = particle;
    this.scene.run({ do: "drag", x: to[0], y: to[1], z: to[2] });
  }

  /** The cloth keeps the velocity that the hand gave it. */
  letGo(): void {
    this.held = -1;
    this.scene.run({ do: "release" });
  }

  pin(particles: readonly number[]): void {
    for (const particle of particles) this.pinned.add(particle);
    this.scene.run({ do: "pin", particles: [...this.pinned] });
  }

  unpin(particles: readonly number[]): void {
    for (const particle of particles.length ? particles : [...this.pinned]) this.pinned.delete(particle);
    this.scene.run({ do: "pin", particles: [...this.pinned] });
  }

  wind(wind: Triple): void {
    this.scene.run({ do: "wind", x: wind[0], y: wind[1], z: wind[2] });
  }

  play(on: boolean): void {
    this.playing = on;
    if (on) this.side.stage.redraw();
  }

  close(): void {
    this.scene.close();
    this.side.giveBack();
  }

  /** Before each picture: the next frame, sixty times a second at most. */
  private tick(time: number): boolean {
    if (!this.playing) return false;
    if (time - this.drawn < 1000 / 60 - 3) return true;
    if (this.take()) this.drawn = time;
    return true;
  }

  private take(): boolean {
    const frame = this.scene.next();
    if (!frame) return false;
    const before = this.shown;
    this.shown = frame;
    this.side.showOwn(frame.positions, frame.normals, frame.joints, frame.took);
    this.scene.want(1, before ?? undefined);
    return true;
  }
}
