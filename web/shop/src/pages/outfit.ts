/** What the visitor wears as a stack of layers: drag or use the arrows to reorder, tap to take off. */
import { html, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { Garment } from "../../../shared/api";
import { putIn } from "../basket";
import { type Layer, move, putOn, takeOff, theOutfit } from "../outfit";
import { garmentPicture, pictureOf } from "../parts/card";
import { Fitting } from "../parts/fitting";
import { actButtons, progress } from "../parts/fitting-tools";
import { icon } from "../parts/icon";
import { say } from "../parts/say";
import { failed, link, notice, skeletons } from "../parts/states";
import { viewButtons } from "../parts/stage";
import type { Page, Update } from "../page";
import { theRail } from "../shop";
import { ours, t } from "../texts";

export function outfit(_: Record<string, string>, update: Update): Page {
  let known: Map<string, Garment> | undefined;
  let error: unknown;
  let dragged: number | undefined;
  const fitting = new Fitting(update);
  const load = (): void => {
    theRail().then(
      (rail) => {
        known = new Map(rail.garments.map((garment) => [garment.id, garment]));
        error = undefined;
        update();
      },
      (why: unknown) => {
        error = why;
        update();
      },
    );
  };
  load();

  const name = (layer: Layer): string => ours(known?.get(layer.garment_id)?.name ?? layer.garment_id);
  const shift = (from: number, to: number): void => {
    const layer = theOutfit()[from];
    if (!layer || to < 0 || to >= theOutfit().length) return;
    move(from, to);
    say(t("outfit.moved", { name: name(layer), place: to + 1, count: theOutfit().length }));
    update();
  };
  const off = (index: number): void => {
    const layer = takeOff(index);
    if (layer) say(t("outfit.taken", { name: name(layer) }), { label: t("outfit.undo"), run: () => (putOn(layer, index), update()) });
    update();
  };
  const buy = async (): Promise<void> => {
    for (const layer of theOutfit()) await putIn({ garment_id: layer.garment_id, size: layer.size, colour: layer.colour, quantity: 1 });
    say(t("outfit.basket.done"));
  };
  const drop = (to: number) => (event: Event) => {
    event.preventDefault();
    if (dragged !== undefined && dragged !== to) shift(dragged, to);
    dragged = undefined;
  };

  const layerView = (layer: Layer, i: number): TemplateResult => {
    const garment = known?.get(layer.garment_id);
    const way = garment?.colours.find((one) => one.id === layer.colour);
    return html`<li
      class="layer"
      draggable="true"
      @dragstart=${() => (dragged = i)}
      @dragover=${(event: Event) => event.preventDefault()}
      @drop=${drop(i)}
    >
      <span class="grip" aria-hidden="true">${icon("grip")}</span>
      <span class="layer-picture">${garment ? garmentPicture(garment, pictureOf(garment, "", layer.colour)) : ""}</span>
      <span class="layer-words">
        <a href="/garment/${layer.garment_id}">${name(layer)}</a>
        <span class="hint">${t("basket.size", { size: layer.size })}, ${ours(way?.name ?? "")}</span>
      </span>
      <span class="layer-buttons">
        <button class="tool" title=${t("outfit.down", { name: name(layer) })} aria-label=${t("outfit.down", { name: name(layer) })} ?disabled=${i === 0} @click=${() => shift(i, i - 1)}>${icon("up")}</button>
        <button class="tool" title=${t("outfit.up", { name: name(layer) })} aria-label=${t("outfit.up", { name: name(layer) })} ?disabled=${i === theOutfit().length - 1} @click=${() => shift(i, i + 1)}>${icon("down")}</button>
        <button class="tool" title=${t("outfit.off", { name: name(layer) })} aria-label=${t("outfit.off", { name: name(layer) })} @click=${() => off(i)}>${icon("close")}</button>
      </span>
    </li>`;
  };
  const worn = (): TemplateResult => {
    const layers = theOutfit();
    const first = layers.at(-1);
    const garment = first && known?.get(first.garment_id);
    const before = garment ? garmentPicture(garment, pictureOf(garment, "", first.colour)) : html``;
    return html`<div class="outfit-work">
      <div class="garment-stage">
        <div class="stages"><div class="stage-frame">${fitting.holder.view(t("outfit.stage"), before)} ${progress(fitting, sew)}</div>
          ${fitting.state === "dressed" ? viewButtons(fitting.holder) : ""}
        </div>
        ${fitting.state === "dressed" ? html`<div class="tools">${actButtons(fitting, (act) => void fitting.move(act))}</div>` : ""}
      </div>
      <div class="outfit-side">
        <p>${t("outfit.text")}</p>
        <ol class="layers" aria-label=${t("outfit.layers")}>
          ${repeat(layers, (layer) => layer.garment_id, layerView)}
        </ol>
        <button class="button main wide" ?disabled=${fitting.state === "sewing"} @click=${sew}>${icon("scissors")}${t("outfit.sew")}</button>
        <button class="button wide" @click=${() => void buy()}>${icon("basket")}${t("outfit.basket")}</button>
      </div>
    </div>`;
  };
  const sew = (): void => {
    void fitting.sew(theOutfit().map(({ garment_id, size, colour }) => ({ garment_id, size, colour })));
  };

  return {
    title: () => t("outfit.title"),
    leave: () => fitting.leave(),
    view: () => html`<div class="page">
      <header class="page-head"><h1>${t("outfit.title")}</h1></header>
      ${error
        ? failed(error, load)
        : !theOutfit().length
          ? notice("layers", t("outfit.empty.title"), t("outfit.empty.text"), link("/", t("outfit.browse")))
          : known
            ? worn()
            : skeletons("garment", 2)}
    </div>`,
  };
}
