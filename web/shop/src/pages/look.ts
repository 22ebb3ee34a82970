/** A look that somebody shared: its pictures and movement, and nothing else of theirs. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Shared } from "../../../shared/api";
import { actName, SharedLook } from "../parts/shared-look";
import { garmentPicture, pictureOf } from "../parts/card";
import { failed, link, skeletons } from "../parts/states";
import { viewButtons } from "../parts/stage";
import type { Page, Update } from "../page";
import { client } from "../shop";
import { ours, t } from "../texts";

export function look({ token = "" }: Record<string, string>, update: Update): Page {
  let shared: Shared | undefined;
  let error: unknown;
  const shown = new SharedLook(update);
  const load = async (): Promise<void> => {
    try {
      shared = await client.getShared(token);
      void shown.open(shared);
    } catch (why) {
      error = why;
    }
    update();
  };
  void load();

  const content = ({ garments, wear }: Shared): TemplateResult => {
    const first = garments[0];
    const names = garments.map((garment) => ours(garment.name)).join(", ");
    const before = first ? garmentPicture(first, pictureOf(first, "", wear[0]?.colour ?? ""), true) : nothing;
    return html`<div class="garment-stage">
        <div class="stages"><div class="stage-frame">${shown.holder.view(names, before)}</div>${viewButtons(shown.holder)}</div>
        ${shown.recordings.length > 1
          ? html`<div class="acts" role="group" aria-label=${t("garment.poses")}>
              ${shown.recordings.map((file) => html`<button class="act" aria-pressed=${file === shown.playing ? "true" : "false"} @click=${() => void shown.play(file)}>${actName(file)}</button>`)}
            </div>`
          : nothing}
      </div>
      <div class="garment-side">
        <h1>${t("look.title")}</h1>
        <p>${t("look.text")}</p>
        <ul class="lines">
          ${garments.map((garment) => html`<li class="line"><span class="line-picture">${garmentPicture(garment, pictureOf(garment))}</span><a href="/garment/${garment.id}">${ours(garment.name)}</a></li>`)}
        </ul>
        ${link(first ? `/garment/${first.id}` : "/", t("look.own"))}
      </div>`;
  };
  return {
    title: () => t("look.title"),
    leave: () => shown.leave(),
    view: () => html`<div class="page garment-page">
      ${error ? failed(error, () => void load()) : shared ? content(shared) : skeletons("garment", 2)}
    </div>`,
  };
}
