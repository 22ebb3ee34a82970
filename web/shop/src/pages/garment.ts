/** A garment: sewn on the visitor, turned, walked in, compared, bought. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ColourWay, Garment, SizeAdvice } from "../../../shared/api";
import { putIn } from "../basket";
import { putOn } from "../outfit";
import { actButtons, fitPanel, progress, windButtons } from "../parts/fitting-tools";
import { Fitting } from "../parts/fitting";
import { garmentPicture, pictureOf } from "../parts/card";
import { icon } from "../parts/icon";
import { say } from "../parts/say";
import { shareBox } from "../parts/share";
import { sizeRow } from "../parts/size-row";
import { failed, skeletons } from "../parts/states";
import { swatch } from "../parts/swatch";
import { twins } from "../parts/twins";
import { viewButtons } from "../parts/stage";
import type { Page, Update } from "../page";
import { client, theBody, theGarment, theRail } from "../shop";
import { ours, price, t, word } from "../texts";

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

interface Known {
  garment: Garment;
  advice: SizeAdvice;
  own: boolean;
  bodyId: string;
}

export function garment({ id = "" }: Record<string, string>, update: Update): Page {
  let known: Known | undefined;
  let error: unknown;
  let size = "";
  let way: ColourWay | undefined;
  let other: { size: string; fitting: Fitting } | undefined;
  const fitting = new Fitting(update);
  const share = shareBox(update);
  let fabric: string | null = null;
  let fabrics: string[] = [];
  const wear = (wanted: string) => [{ garment_id: id, size: wanted, colour: way?.id ?? null, fabric }];

  const load = async (): Promise<void> => {
    error = undefined;
    try {
      const [found, { body, own }] = await Promise.all([theGarment(id), theBody()]);
      const advice = await client.getSizeAdvice(id, { body_id: body.id });
      known = { garment: found, advice, own, bodyId: body.id };
      fabrics = (await theRail()).filters.fabrics;
      way ??= found.colours[0];
      size ||= advice.recommended;
    } catch (why) {
      error = why;
    }
    update();
  };
  void load();

  const sew = (): void => {
    // on a phone the button is far below what it does
    if (innerWidth < 1000) scrollTo({ top: 0, behavior: CALM.matches ? "auto" : "smooth" });
    void fitting.sew(wear(size));
    if (other) void other.fitting.sew(wear(other.size));
  };
  const takeSize = (wanted: string): void => {
    size = wanted;
    // once it is worn, another size is sewn at once
    if (fitting.state !== "idle") void fitting.sew(wear(size));
    update();
  };
  const dye = (wanted: ColourWay): void => {
    way = wanted;
    for (const one of [fitting, other?.fitting]) one?.colour(0, wanted);
    update();
  };
  const cutFrom = (wanted: string): void => {
    fabric = wanted || null;
    // another fabric hangs in another way: it is sewn anew
    if (fitting.state !== "idle") sew();
    update();
  };
  const endCompare = (): void => {
    other?.fitting.leave();
    other = undefined;
    fitting.onView = undefined;
    update();
  };
  const compare = (beside: string): void => {
    if (other) other.size = beside;
    else {
      other = { size: beside, fitting: new Fitting(update) };
      twins(fitting, other.fitting);
    }
    if (fitting.state === "idle") void fitting.sew(wear(size));
    void other.fitting.sew(wear(beside));
    update();
  };
  const buy = async (): Promise<void> => {
    if (!known || !way) return;
    try {
      await putIn({ garment_id: id, size, colour: way.id, quantity: 1 });
      say(t("garment.basket.done", { name: ours(known.garment.name), size }));
    } catch (why) {
      say(why instanceof Error && why.name === "Refusal" ? why.message : t("state.failed.text"));
    }
  };
  const layer = (): void => {
    if (!known || !way) return;
    putOn({ garment_id: id, size, colour: way.id });
    say(t("garment.outfit.done", { name: ours(known.garment.name) }));
  };
  const photograph = async (): Promise<void> => {
    const blob = await fitting.picture();
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${id}-${size}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const both = (act: (one: Fitting) => void): void => {
    act(fitting);
    if (other) act(other.fitting);
  };

  const stages = ({ garment: shown, bodyId }: Known): TemplateResult => {
    const before = garmentPicture(shown, pictureOf(shown, bodyId, way?.id), true);
    const one = (on: Fitting, label: string): TemplateResult => html`<div class="stage-frame">
      ${on.holder.view(label, before)} ${progress(on, sew)}
      ${other ? html`<p class="stage-size">${on === fitting ? size : other.size}</p>` : nothing}
    </div>`;
    return html`<div class="stages ${other ? "two" : ""}">
      ${one(fitting, t("garment.stage", { name: ours(shown.name), size }))}
      ${other ? one(other.fitting, t("garment.stage.other", { name: ours(shown.name), size: other.size })) : nothing}
      ${fitting.state === "dressed" ? viewButtons(fitting.holder) : nothing}
    </div>`;
  };

  const tools = ({ garment: shown }: Known): TemplateResult => {
    if (fitting.state !== "dressed") return html``;
    const sizes = shown.sizes.filter((one) => one !== size);
    return html`<div class="tools">
      ${actButtons(fitting, (act) => both((one) => void one.move(act)))}
      ${windButtons(fitting, (wind) => both((one) => void one.blow(wind)))}
      ${fitPanel(fitting, other?.fitting, (on, layer) => both((one) => one.showFit(on, layer)))}
      <div class="row">
        ${other
          ? html`<button class="button" aria-pressed="true" @click=${endCompare}>${icon("compare")}${t("garment.compare.end")}</button>`
          : nothing}
        <label class="choice">
          <span>${other ? t("garment.compare.with") : t("garment.compare")}</span>
          <select
            class="input"
            @change=${(event: Event) => {
              const chosen = (event.target as HTMLSelectElement).value;
              if (chosen) compare(chosen);
              else endCompare();
            }}
          >
            <option value="" ?selected=${!other}>–</option>
            ${sizes.map((one) => html`<option value=${one} ?selected=${one === other?.size}>${one}</option>`)}
          </select>
        </label>
        ${fitting.holder.hasNo3d()
          ? nothing
          : html`<button class="button" @click=${() => void photograph()}>${icon("camera")}${t("garment.picture")}</button>`}
        ${share.button(fitting.tryOn)}
      </div>
      ${share.box()}
    </div>`;
  };

  const side = ({ garment: shown, advice, own }: Known): TemplateResult => html`<div class="garment-side">
    <header>
      <h1>${ours(shown.name)}</h1>
      <p class="garment-price">${price(shown.price, shown.currency)}</p>
      <p class="garment-text">${ours(shown.text)}</p>
    </header>
    ${own
      ? nothing
      : html`<p class="hint">${t("garment.nobody")} <a href="/body?for=${id}">${t("garment.nobody.link")}</a></p>`}
    <fieldset class="swatches">
      <legend class="label">${t("garment.colours")} <span class="hint">${ours(way?.name ?? "")}</span></legend>
      ${shown.colours.map(
        (one) => html`<label class="swatch-choice" title=${ours(one.name)}>
          <input type="radio" name="colour" .checked=${one.id === way?.id} aria-label=${ours(one.name)} @change=${() => dye(one)} />
          ${swatch(one)}
        </label>`,
      )}
    </fieldset>
    ${sizeRow(shown, advice, size, takeSize)}
    <label class="choice fabric-choice">
      <span class="label">${t("garment.fabrics")}</span>
      <select class="input" @change=${(event: Event) => cutFrom((event.target as HTMLSelectElement).value)}>
        <option value="" ?selected=${fabric === null}>${t("garment.fabric.own")}: ${word(`fabric.${shown.fabric}`, shown.fabric)}</option>
        ${fabrics.filter((one) => one !== shown.fabric).map((one) => html`<option value=${one} ?selected=${one === fabric}>${word(`fabric.${one}`, one)}</option>`)}
      </select>
    </label>
    <div class="garment-buttons">
      <button class="button main wide" ?disabled=${fitting.state === "sewing"} @click=${sew}>
        ${icon("scissors")}${fitting.state === "dressed" ? t("garment.sew.again") : t("garment.sew")}
      </button>
      <button class="button wide" @click=${() => void buy()}>${icon("basket")}${t("garment.basket")}</button>
      <button class="button quiet wide" @click=${layer}>${icon("layers")}${t("garment.outfit")}</button>
    </div>
    <p class="hint">${ours(shown.fabric_words)}</p>
  </div>`;

  return {
    title: () => ours(known?.garment.name ?? ""),
    leave: () => {
      fitting.leave();
      other?.fitting.leave();
    },
    view: () => html`<div class="page garment-page">
      ${error
        ? failed(error, () => void load())
        : known
          ? html`<div class="garment-stage">${stages(known)} ${tools(known)}</div>
              ${side(known)}`
          : skeletons("garment", 2)}
    </div>`,
  };
}
