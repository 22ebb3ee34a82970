/** One outfit on one stage: asks for it to be sewn, shows it being sewn, lets it move, colours it, maps its fit. */
import type { Stage } from "toile-viewer";
import { type ColourWay, type FitLayer, type FitMap, type Garment, type MotionRequest, Refusal, type TryOn, type Wear, type Work } from "../../../shared/api";
import { client, theGarment } from "../shop";
import type { Update } from "../page";
import { clothLook } from "./cloth-look";
import { inSceneOrder, readFit } from "./fit-values";
import { Living, mayLive } from "./living";
import { stageHolder, type StageHolder } from "./stage";
import { openTake, type Take } from "./take";

/** what somebody can be asked to do; "live" is all of it at once, for this device's engine */
export type Act = Exclude<MotionRequest["act"], "live">;
export type FittingState = "idle" | "sewing" | "dressed" | "failed";

const TICK_MS = 200;
const FILM_MS = 4000;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The recording among a job's files that is shown when it is done. */
function recording(work: Work): string {
  const recordings = work.files.filter((file) => file.kind === "recording" && !file.name.startsWith("sewing"));
  return (recordings.find((file) => file.name.startsWith("drape")) ?? recordings[0])?.url ?? "";
}

export class Fitting {
  state: FittingState = "idle";
  act: Act | "sewing" = "stand";
  /** an act that is being prepared */
  preparing: Act | undefined;
  work: Work | undefined;
  tryOn: TryOn | undefined;
  error: unknown;
  fit: FitMap | undefined;
  fitShown = false;
  fitLayer: FitLayer["name"] = "stretch";
  wind = 0;
  readonly holder: StageHolder;
  /** called when the pointer turned the stage, for a twin beside it */
  onView: ((stage: Stage) => void) | undefined;
  private take: Take | undefined;
  /** where recordings of movements are, by act and wind */
  private readonly motions = new Map<string, string>();
  /** the one garment that the film shows */
  private only: number | undefined;
  private ways: (ColourWay | undefined)[] = [];
  private garments: Garment[] = [];
  private readonly values = new Map<FitLayer["name"], Float32Array>();
  private map: ArrayBuffer | undefined;
  /** the outfit on this device's own engine, once it is there */
  private living: Living | undefined;
  private began = 0;
  private loops = false;
  private number = 0;
  private gone = false;

  constructor(private readonly update: Update) {
    this.holder = stageHolder(update);
  }

  /** Sew these on the visitor's body. */
  async sew(wear: Wear[]): Promise<void> {
    const number = ++this.number;
    Object.assign(this, { state: "sewing", work: undefined, error: undefined, fit: undefined, act: "sewing", preparing: undefined });
    this.motions.clear();
    this.values.clear();
    this.endLiving();
    this.fitShown = false;
    this.update();
    try {
      this.garments = await Promise.all(wear.map((one) => theGarment(one.garment_id)));
      this.ways = wear.map((one, i) => this.garments[i]?.colours.find((way) => way.id === one.colour) ?? this.garments[i]?.colours[0]);
      const tryOn = await client.createTryOn({ wear });
      if (number !== this.number) return;
      this.tryOn = tryOn;
      // what was sewn before is there at once: no film is made of it
      const ready = tryOn.work.state === "done";
      const film = ready ? undefined : this.watchSewing(tryOn, wear.length, number);
      const done = await this.follow(tryOn.id, tryOn.work, number);
      if (number !== this.number || !done) return;
      this.tryOn = { ...tryOn, work: done };
      await film;
      if (number !== this.number) return;
      if (this.act !== "stand") await this.show("stand", recording(done), false);
      if (ready || CALM.matches) this.toEnd();
      this.state = "dressed";
      this.update();
      await this.readFit(tryOn.id);
      await this.openLiving(tryOn.id, number);
    } catch (why) {
      if (number !== this.number || this.gone) return;
      this.state = "failed";
      this.error = why;
      this.update();
    }
  }

  /** Show what there is while it is made: as it hangs on a body alike, then pieces that fly and seams that close. */
  private async watchSewing(tryOn: TryOn, count: number, number: number): Promise<void> {
    const base = `/api/tryons/${tryOn.id}/works/${tryOn.work.id}`;
    const begun = (name: string): boolean => this.work?.files.some((file) => file.name === name) ?? false;
    const until = async (name: string): Promise<boolean> => {
      while (number === this.number && !this.done && !begun(name)) await later(TICK_MS);
      return number === this.number && !this.done;
    };
    while (number === this.number && (!this.work || this.work.state === "queued")) await later(TICK_MS);
    try {
      const first = "preview.play";
      while (number === this.number && !this.done && !begun(first) && !begun("sewing-1.play")) await later(TICK_MS);
      if (begun(first) && !this.done) await this.show("sewing", `${base}/${first}`, false);
      for (let garment = 0; garment < count && !CALM.matches && (await until(`sewing-${garment + 1}.play`)); garment++) {
        const take = await this.show("sewing", `${base}/sewing-${garment + 1}.play`, false, garment);
        // a device that draws slowly does not wait for the end of the film
        let spare = FILM_MS;
        while (number === this.number && take && !take.ended() && spare > 0) {
          await later(50);
          if (this.done) spare -= 50;
        }
      }
      // the arms come down while the rest is written
      if (await until("drape.play")) await this.show("stand", `${base}/drape.play`, false);
    } catch {
      // the film is for the eyes only
    }
  }

  /** Stop what is being sewn. */
  async cancel(): Promise<void> {
    const { tryOn, work } = this;
    this.number++;
    this.state = "idle";
    this.update();
    if (tryOn && work) await client.cancelWork(tryOn.id, work.id).catch(() => undefined);
  }

  /** Move in what is worn; a movement that was made before starts at once. */
  async move(act: Act): Promise<void> {
    const { tryOn, number } = this;
    if (!tryOn || this.state !== "dressed") return;
    if (this.living) return this.live(this.living, act);
    if (act === "stand" && !this.wind) {
      this.preparing = undefined;
      await this.show("stand", recording(tryOn.work), false);
      this.toEnd();
      return;
    }
    this.preparing = act;
    this.update();
    try {
      const url = await this.motion(tryOn.id, act, number);
      if (number === this.number && url && this.preparing === act) await this.show(act, url, true);
    } catch (why) {
      this.error = why;
    }
    if (this.preparing === act) this.preparing = undefined;
    this.update();
  }

  /** Where the recording of a movement is: as soon as it grows it can be watched. */
  private async motion(tryOn: string, act: Act, number: number): Promise<string | undefined> {
    const key = `${act} ${this.wind}`;
    const made = this.motions.get(key);
    if (made) return made;
    let work = await client.createMotion(tryOn, { act, wind: this.wind });
    while (work.state === "queued" || (work.state === "running" && work.progress === 0)) {
      if (number !== this.number) return undefined;
      await later(TICK_MS);
      work = await client.getWork(tryOn, work.id);
    }
    if (work.state === "failed") throw new Refusal(work.error ?? "", 422, "failed", "");
    if (work.state === "cancelled") return undefined;
    const url = work.state === "done" ? recording(work) : `/api/tryons/${tryOn}/works/${work.id}/${act}.play`;
    this.motions.set(key, url);
    return url;
  }

  /** Let this device compute how the cloth moves, where it can; recordings do as well. */
  private async openLiving(tryOn: string, number: number): Promise<void> {
    if (!mayLive() || this.holder.hasNo3d()) return;
    try {
      let work = await client.createMotion(tryOn, { act: "live" });
      while (work.state === "queued" || work.state === "running") {
        await later(TICK_MS);
        if (number !== this.number) return;
        work = await client.getWork(tryOn, work.id);
      }
      const living = await Living.open(work);
      if (number === this.number && this.state === "dressed") this.living = living;
      else living.leave();
    } catch {
      // whoever wants to walk gets a recording
    }
  }

  /** Move on this device: at once, and the wind and a pulling hand are felt. */
  private async live(living: Living, act: Act): Promise<void> {
    const { number } = this;
    this.act = act;
    if (!living.shown) {
      this.holder.use((stage) => void this.enter(living, stage, number));
      while (number === this.number && !living.shown && this.living) await later(20);
    }
    if (number !== this.number || !living.shown) return;
    living.move(act);
    living.blow(this.wind);
    this.update();
  }

  private async enter(living: Living, stage: Stage, number: number): Promise<void> {
    try {
      await living.enter(stage, () => this.standIn());
    } catch {
      return this.standIn();
    }
    if (number !== this.number) return living.leave();
    const draw = stage.onTick;
    stage.onTick = (time) => {
      this.onView?.(stage);
      return draw?.(time) ?? false;
    };
    this.dye();
    if (this.fitShown) this.paintFit();
    stage.redraw();
  }

  /** This device cannot keep up: the same movement as a recording. */
  private standIn(): void {
    this.endLiving();
    if (this.act !== "sewing") void this.move(this.act);
  }

  private endLiving(): void {
    this.living?.leave();
    this.living = undefined;
  }

  async blow(metresPerSecond: number): Promise<void> {
    this.wind = metresPerSecond;
    this.update();
    if (this.living?.shown) return this.living.blow(metresPerSecond);
    await this.move(this.act === "sewing" ? "stand" : this.act);
  }

  /** Another colour or print: nothing is sewn for it. */
  colour(index: number, way: ColourWay): void {
    this.ways[index] = way;
    this.dye();
  }

  showFit(on: boolean, layer = this.fitLayer): void {
    this.fitLayer = layer;
    this.fitShown = on && this.values.has(layer);
    this.paintFit();
    this.update();
  }

  private paintFit(): void {
    const values = this.fitShown ? this.values.get(this.fitLayer) : undefined;
    const shown = values && this.living?.shown && this.map && this.fit ? inSceneOrder(this.map, this.fit, values) : values;
    this.holder.use((stage) => stage.setClothValues(shown ?? null));
  }

  async picture(): Promise<Blob | undefined> {
    return new Promise((found) => {
      if (this.holder.hasNo3d()) found(undefined);
      else this.holder.use((stage) => void stage.picture().then(found));
    });
  }

  leave(): void {
    this.gone = true;
    this.number++;
    this.endLiving();
    this.take?.close();
    this.holder.leave();
  }

  private get done(): boolean {
    return this.work?.state !== "running" && this.work?.state !== "queued";
  }

  /** Wait until a job is done, telling how far it is. */
  private async follow(tryOn: string, first: Work, number: number): Promise<Work | undefined> {
    let work = first;
    for (;;) {
      if (number !== this.number) return undefined;
      this.work = work;
      this.update();
      if (work.state === "done") return work;
      if (work.state === "failed") throw new Refusal(work.error ?? "", 422, "failed", "");
      if (work.state === "cancelled") return undefined;
      await later(TICK_MS);
      work = await client.getWork(tryOn, work.id);
    }
  }

  /** Play a recording; garment: the one that it shows alone. */
  private async show(act: Act | "sewing", url: string, loops: boolean, garment?: number): Promise<Take | undefined> {
    const number = this.number;
    const take = await openTake(url, () => this.holder.use((stage) => stage.redraw()));
    if (this.gone || number !== this.number) return void take.close();
    this.act = act;
    this.loops = loops;
    this.began = performance.now();
    this.only = garment;
    this.holder.use((stage) => {
      if (take.body) stage.setBody(take.body);
      stage.setCloth(take.cloth);
      if (!this.take) stage.glide({ ...take.view, azimuth: 0.3 }, 0);
      this.take?.close();
      this.take = take;
      this.dye();
      if (this.fitShown) this.paintFit();
      stage.onTick = (time) => this.tick(stage, time);
      stage.redraw();
    });
    this.update();
    return take;
  }

  /** Go to the last frame: nobody is to wait for a movement that was seen. */
  private toEnd(): void {
    this.began = -1e9;
    this.holder.use((stage) => stage.redraw());
  }

  /** Before each picture: the frame of this moment. */
  private tick(stage: Stage, time: number): boolean {
    const { take } = this;
    if (!take) return false;
    this.onView?.(stage);
    const { data, ended } = take.at((time - this.began) / 1000, this.loops);
    stage.setFrame(data);
    stage.follow(...take.place(data));
    this.holder.ready();
    return !ended;
  }

  private dye(): void {
    const parts = this.living?.shown ? this.living.parts : (this.take?.cloth.parts.map((part) => this.only ?? part.garment) ?? []);
    this.holder.use((stage) => {
      parts.forEach((index, i) => {
        const way = this.ways[index];
        const fabric = this.tryOn?.wear[index]?.fabric ?? this.garments[index]?.fabric;
        if (way && fabric) stage.setMaterial(i, clothLook(way, fabric));
      });
    });
  }

  private async readFit(id: string): Promise<void> {
    try {
      this.fit = await client.getFit(id);
      const answer = await fetch(this.fit.url, { credentials: "same-origin" });
      const data = (this.map = await answer.arrayBuffer());
      for (const { name } of this.fit.layers) this.values.set(name, readFit(data, this.fit, name));
    } catch {
      // the shop works without a map; the button says so by being off
    }
    this.update();
  }
}
