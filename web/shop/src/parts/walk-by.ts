/** The first screen's picture: somebody walks, recorded; a picture where there is no recording or no 3D. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Garment } from "../../../shared/api";
import type { Update } from "../page";
import { theRail } from "../shop";
import { t } from "../texts";
import { garmentPicture, pictureOf } from "./card";
import { clothLook } from "./cloth-look";
import { icon } from "./icon";
import { stageHolder } from "./stage";
import { openTake } from "./take";

/** where the server keeps this week's walk */
const WALK = "/api/hero";

interface Week {
  garment_id: string;
  colour: string;
  url: string;
}

export interface WalkBy {
  view: () => TemplateResult;
  leave: () => void;
}

export function walkBy(update: Update): WalkBy {
  const holder = stageHolder(update);
  let shown: Garment | undefined;
  let moves = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let walking = false;
  let time = 0;
  let last = 0;

  const start = async (): Promise<void> => {
    const rail = await theRail();
    shown = rail.garments.find((garment) => garment.kind === "dress") ?? rail.garments[0];
    update();
    const answer = await fetch(WALK, { credentials: "same-origin" });
    if (!answer.ok) return;
    const week = (await answer.json()) as Week;
    shown = rail.garments.find((garment) => garment.id === week.garment_id) ?? shown;
    const take = await openTake(week.url, () => holder.use((stage) => stage.redraw()));
    holder.use((stage) => {
      if (take.body) stage.setBody(take.body);
      stage.setCloth(take.cloth);
      const way = shown?.colours.find((one) => one.id === week.colour);
      take.cloth.parts.forEach((part, i) => {
        if (way) stage.setMaterial(i, clothLook(way, part.material.fabric ?? shown?.fabric ?? ""));
      });
      stage.glide({ ...take.view, azimuth: 0.55 }, 0);
      walking = true;
      stage.onTick = (now) => {
        if (moves) time += Math.min(now - last, 100) / 1000;
        last = now;
        const { data } = take.at(time, true);
        stage.setFrame(data);
        stage.follow(...take.place(data));
        holder.ready();
        return moves;
      };
      stage.redraw();
      update();
    });
  };
  void start().catch(() => undefined);
  const toggle = (): void => {
    moves = !moves;
    holder.use((stage) => stage.redraw());
    update();
  };

  return {
    leave: holder.leave,
    view: () => {
      const before = shown ? garmentPicture(shown, pictureOf(shown), true) : nothing;
      const text = moves ? t("home.pause") : t("home.play");
      return html`${holder.view(shown ? t("home.stage", { name: shown.name }) : "", before)}
      ${walking ? html`<button class="tool hero-pause" title=${text} aria-label=${text} @click=${toggle}>${icon(moves ? "pause" : "play")}</button>` : nothing}`;
    },
  };
}
