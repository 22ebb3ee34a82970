/** Plays what somebody shared: the drape, and the movements if they may be seen. */
import type { File, Shared } from "../../../shared/api";
import type { Update } from "../page";
import { t, word } from "../texts";
import { clothLook } from "./cloth-look";
import { stageHolder, type StageHolder } from "./stage";
import { openTake, type Take } from "./take";

export function actName(file: File): string {
  const act = file.name.replace(/\.play$/, "");
  return act === "drape" ? t("pose.stand") : word(`pose.${act}`, act);
}

export class SharedLook {
  recordings: File[] = [];
  playing: File | undefined;
  readonly holder: StageHolder;
  private shared: Shared | undefined;
  private take: Take | undefined;
  private began = 0;

  constructor(private readonly update: Update) {
    this.holder = stageHolder(update);
  }

  async open(shared: Shared): Promise<void> {
    this.shared = shared;
    this.recordings = shared.files.filter((file) => file.kind === "recording" && !file.name.startsWith("sewing"));
    const first = this.recordings[0];
    if (first) await this.play(first);
  }

  async play(file: File): Promise<void> {
    this.playing = file;
    this.update();
    const take = await openTake(file.url, () => this.holder.use((stage) => stage.redraw()));
    this.take?.close();
    this.take = take;
    this.began = performance.now();
    this.holder.use((stage) => {
      stage.setBody(take.body);
      stage.setCloth(take.cloth);
      stage.glide(take.view, 0);
      take.cloth.parts.forEach((part, i) => {
        const wear = this.shared?.wear[part.garment];
        const garment = this.shared?.garments.find((one) => one.id === wear?.garment_id);
        const way = garment?.colours.find((one) => one.id === wear?.colour) ?? garment?.colours[0];
        if (garment && way) stage.setMaterial(i, clothLook(way, wear?.fabric ?? garment.fabric));
      });
      stage.onTick = (time) => {
        const { data, ended } = take.at((time - this.began) / 1000, !file.name.startsWith("drape"));
        stage.setFrame(data);
        stage.follow(...take.place(data));
        this.holder.ready();
        return !ended;
      };
      stage.redraw();
    });
  }

  leave(): void {
    this.take?.close();
    this.holder.leave();
  }
}
