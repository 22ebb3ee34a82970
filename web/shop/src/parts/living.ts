/** An outfit that lives on the visitor's device: the server sewed it, the page's own engine lets it walk. */
import type { LiveScene } from "toile-engine";
import type { LivePlayer, Stage } from "toile-viewer";
import type { MotionRequest, Work } from "../../../shared/api";

type Act = MotionRequest["act"];
const ENGINE = "/engine";
/** from one movement to another, and from the pose in which clothes are sewn [s] */
const SWAP = 0.6;
const FIRST = 1.2;
/** the library's name of a movement, where it is another */
const NAMES: Partial<Record<Act, string>> = { stand: "idle" };

/** Whether the page should try: a device with two processors or more, that is not to save data. */
export function mayLive(): boolean {
  const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;
  return typeof WebAssembly === "object" && navigator.hardwareConcurrency > 1 && !saves;
}

export class Living {
  private player: LivePlayer | undefined;

  private constructor(private readonly scene: LiveScene) {}

  /** Fetches a scene and the engine; the stage stays as it is. */
  static async open(work: Work): Promise<Living> {
    const file = work.files.find((one) => one.kind === "scene");
    if (!file) throw new Error("there is no scene");
    const [engine, answer] = await Promise.all([import("toile-engine"), fetch(file.url, { credentials: "same-origin" })]);
    if (!answer.ok) throw new Error(`${file.url}: ${answer.status}`);
    return new Living(await engine.LiveScene.open(new Uint8Array(await answer.arrayBuffer()), { engine: ENGINE }));
  }

  /** The garment that each part of the cloth belongs to. */
  get parts(): number[] {
    return (this.scene.head.meta["parts"] as { garment?: number }[]).map((part) => part.garment ?? 0);
  }

  /** Whether it is on the stage. */
  get shown(): boolean {
    return this.player !== undefined;
  }

  /** Takes the stage over, with the camera as it is. stopped: the device is too slow, or the engine gave up. */
  async enter(stage: Stage, stopped: () => void): Promise<void> {
    const { LivePlayer } = await import("toile-viewer");
    const { view } = stage;
    this.player = new LivePlayer(stage, this.scene, null, stopped);
    stage.glide(view, 0);
  }

  move(act: Act): void {
    const motions = this.scene.head.meta["motions"] as string[];
    const motion = motions.indexOf(NAMES[act] ?? act);
    if (motion >= 0) this.scene.run({ do: "play", motion, seconds: this.moved ? SWAP : FIRST });
    this.moved = true;
  }
  private moved = false;

  /** From the front, as in recordings [m/s]. */
  blow(wind: number): void {
    this.scene.run({ do: "wind", x: 0, y: 0, z: -wind });
  }

  /** Leaves the stage to others; it does not come back. */
  leave(): void {
    if (this.player) this.player.dispose();
    else this.scene.close();
    this.player = undefined;
  }
}
