/** The first screen's picture: the visitor walks in what they last walked in; before that, and without 3D, a picture. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Garment, TryOn } from "../../../shared/api";
import type { Update } from "../page";
import { client, theRail } from "../shop";
import { ours, t } from "../texts";
import { garmentPicture, pictureOf } from "./card";
import { clothLook } from "./cloth-look";
import { icon } from "./icon";
import { stageHolder } from "./stage";
import { openTake } from "./take";

export interface WalkBy {
  view: () => TemplateResult;
  leave: () => void;
}

function walkOf({ motions }: TryOn): string | undefined {
  return motions.find((work) => work.act === "walk" && work.state === "done")?.files.find((file) => file.kind === "recording")?.url;
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
    const { items } = await client.getTryOns();
    const walked = items.find((one) => walkOf(one));
    const url = walked && walkOf(walked);
    if (!walked || !url) return;
    const worn = walked.wear.map((one) => rail.garments.find((garment) => garment.id === one.garment_id));
    shown = worn.at(-1) ?? shown;
    const take = await openTake(url, () => holder.use((stage) => stage.redraw()));
    holder.use((stage) => {
      if (take.body) stage.setBody(take.body);
      stage.setCloth(take.cloth);
      take.cloth.parts.forEach((part, i) => {
        const garment = worn[part.garment];
        const way = garment?.colours.find((one) => one.id === walked.wear[part.garment]?.colour) ?? garment?.colours[0];
        if (garment && way) stage.setMaterial(i, clothLook(way, part.material.fabric ?? garment.fabric));
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
      return html`${holder.view(shown ? t("home.stage", { name: ours(shown.name) }) : "", before)}
      ${walking ? html`<button class="tool hero-pause" title=${text} aria-label=${text} @click=${toggle}>${icon(moves ? "pause" : "play")}</button>` : nothing}`;
    },
  };
}
