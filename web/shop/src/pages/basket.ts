/** What is to be bought. */
import { html, type TemplateResult } from "lit-html";
import type { BasketItem, Catalogue } from "../../../shared/api";
import { currentBasket, putIn, readBasket, setQuantity } from "../basket";
import { icon } from "../parts/icon";
import { say } from "../parts/say";
import { failed, link, notice, skeletons } from "../parts/states";
import type { Page, Update } from "../page";
import { theRail } from "../shop";
import { ours, price, t } from "../texts";

export function basket(_: Record<string, string>, update: Update): Page {
  let error: unknown;
  let rail: Catalogue | undefined;
  const load = (): void => {
    error = undefined;
    // names of colours; the basket does without
    theRail().then((found) => ((rail = found), update()), () => undefined);
    readBasket().then(update, (why: unknown) => {
      error = why;
      update();
    });
  };
  load();
  const change = async (item: BasketItem, quantity: number): Promise<void> => {
    try {
      await setQuantity(item.id, quantity);
      if (!quantity) {
        const back = () => void putIn({ garment_id: item.garment_id, size: item.size, colour: item.colour, quantity: item.quantity }).then(update);
        say(t("basket.removed", { name: ours(item.name) }), { label: t("basket.undo"), run: back });
      }
    } catch {
      say(t("state.failed.text"));
    }
    update();
  };

  const colourOf = ({ garment_id, colour }: BasketItem): string =>
    ours(rail?.garments.find((one) => one.id === garment_id)?.colours.find((way) => way.id === colour)?.name ?? colour);
  const row = (item: BasketItem, currency: string): TemplateResult => html`<li class="line">
    <span class="line-picture">
      ${item.picture_url ? html`<img src=${item.picture_url} alt="" width="96" height="128" />` : html`<span class="no-picture">${icon("shirt")}</span>`}
    </span>
    <span class="line-words">
      <a href="/garment/${item.garment_id}">${ours(item.name)}</a>
      <span class="hint">${t("basket.size", { size: item.size })}, ${colourOf(item)}</span>
      <span class="stepper" role="group" aria-label=${t("basket.count", { name: ours(item.name) })}>
        <button class="tool" aria-label=${t("basket.less", { name: ours(item.name) })} ?disabled=${item.quantity < 2} @click=${() => void change(item, item.quantity - 1)}>${icon("minus")}</button>
        <span aria-live="polite">${item.quantity}</span>
        <button class="tool" aria-label=${t("basket.more", { name: ours(item.name) })} ?disabled=${item.quantity > 19} @click=${() => void change(item, item.quantity + 1)}>${icon("plus")}</button>
      </span>
    </span>
    <span class="line-end">
      <span>${price(item.price * item.quantity, currency)}</span>
      <button class="tool" title=${t("basket.remove", { name: ours(item.name) })} aria-label=${t("basket.remove", { name: ours(item.name) })} @click=${() => void change(item, 0)}>${icon("delete")}</button>
    </span>
  </li>`;

  const content = (): TemplateResult => {
    const held = currentBasket();
    if (error) return failed(error, load);
    if (!held) return skeletons("rows", 3);
    if (!held.items.length) return notice("basket", t("basket.empty.title"), t("basket.empty.text"), link("/", t("outfit.browse")));
    return html`<ul class="lines">
        ${held.items.map((item) => row(item, held.currency))}
      </ul>
      <p class="total"><span>${t("basket.total")}</span><strong>${price(held.total, held.currency)}</strong></p>
      <a class="button main wide" href="/order">${t("basket.order")}</a>
      <p class="hint">${t("basket.next")}</p>`;
  };
  return {
    title: () => t("basket.title"),
    view: () => html`<div class="page narrow">
      <header class="page-head"><h1>${t("basket.title")}</h1></header>
      ${content()}
    </div>`,
  };
}
