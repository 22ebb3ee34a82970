/** After an order: its number, and what happens next. */
import { html, nothing } from "lit-html";
import type { Order } from "../../../shared/api";
import { icon } from "../parts/icon";
import { link } from "../parts/states";
import type { Page, Update } from "../page";
import { client } from "../shop";
import { ours, price, t } from "../texts";

export function thanks({ number = "" }: Record<string, string>, update: Update): Page {
  let placed: Order | undefined;
  client.getOrder(number).then(
    (found) => {
      placed = found;
      update();
    },
    // the number is what matters, and it is there
    () => undefined,
  );
  return {
    title: () => t("thanks.title"),
    view: () => html`<div class="page narrow thanks">
      <span class="notice-sign">${icon("check")}</span>
      <h1>${t("thanks.title")}</h1>
      <p class="number">${t("thanks.number", { number })}</p>
      <p>${placed?.next ?? t("thanks.next.plain")}</p>
      ${placed
        ? html`<ul class="receipt">
            ${placed.items.map((item) => html`<li><span>${item.quantity} × ${ours(item.name)}, ${item.size}</span><span>${price(item.price * item.quantity, placed?.currency ?? "EUR")}</span></li>`)}
            <li class="total"><span>${t("basket.total")}</span><strong>${price(placed.total, placed.currency)}</strong></li>
          </ul>`
        : nothing}
      ${link("/", t("thanks.more"))}
    </div>`,
  };
}
