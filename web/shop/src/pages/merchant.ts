/** The merchant's desk: garments, orders, webhooks. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Deliveries, MerchantGarment, MerchantGarments, MerchantOrders, Webhook, Webhooks } from "../../../shared/api";
import { enter, isOpen, leaveShop, merchant as client } from "../merchant";
import { icon } from "../parts/icon";
import { say } from "../parts/say";
import { failed, link, notice, skeletons } from "../parts/states";
import type { Page, Update } from "../page";
import { askRailAgain } from "../shop";
import { moment, price, t } from "../texts";

type Tab = "garments" | "orders" | "webhooks";
const TABS: Tab[] = ["garments", "orders", "webhooks"];

interface Desk {
  garments: MerchantGarments;
  orders: MerchantOrders;
  hooks: Webhooks;
  deliveries: Deliveries;
}

export function merchant(_: Record<string, string>, update: Update): Page {
  let tab: Tab = "garments";
  let desk: Desk | undefined;
  let error: unknown;
  let wrongKey = false;
  let made: Webhook | undefined;

  const load = async (): Promise<void> => {
    error = undefined;
    try {
      const [garments, orders, hooks, deliveries] = await Promise.all([
        client.getMerchantGarments(),
        client.getMerchantOrders(),
        client.getWebhooks(),
        client.getDeliveries(),
      ]);
      desk = { garments, orders, hooks, deliveries };
    } catch (why) {
      error = why;
    }
    update();
  };
  const act = async (done: Promise<unknown>): Promise<void> => {
    try {
      await done;
    } catch (why) {
      say(why instanceof Error && why.name === "Refusal" ? why.message : t("state.failed.text"));
    }
    await load();
  };
  const tryKey = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = String(new FormData(event.target as HTMLFormElement).get("key")).trim();
    try {
      wrongKey = !(await enter(key));
    } catch (why) {
      error = why;
    }
    if (isOpen()) void load();
    update();
  };
  if (isOpen()) void load();

  const door = (): TemplateResult => html`<form class="door" @submit=${(event: Event) => void tryKey(event)}>
    <h1>${t("merchant.title")}</h1>
    <div class="field">
      <label for="key">${t("merchant.key")}</label>
      <input class="input" id="key" name="key" type="password" autocomplete="current-password" required aria-invalid=${wrongKey ? "true" : "false"} aria-describedby="key-note" />
      <span class=${wrongKey ? "wrong" : "hint"} id="key-note" role=${wrongKey ? "alert" : nothing}>${wrongKey ? t("merchant.key.wrong") : t("merchant.key.text")}</span>
    </div>
    <button class="button main wide">${t("merchant.enter")}</button>
  </form>`;

  const garmentRow = (one: MerchantGarment): TemplateResult => {
    const { garment } = one;
    const show = () => void act(client.changeGarment(garment.id, { published: !one.published }).then(askRailAgain));
    const problems = one.drapes.flatMap((drape) => drape.problems.map((line) => `${drape.body}: ${line}`));
    return html`<tr>
      <th scope="row">
        <a href="/garment/${garment.id}">${garment.name}</a>
        <span class="hint">${garment.fabric}, ${garment.sizes[0]}–${garment.sizes.at(-1)}</span>
        ${problems.length ? html`<ul class="notes">${problems.map((line) => html`<li>${icon("alert")}${line}</li>`)}</ul>` : nothing}
      </th>
      <td>
        <span class="drapes">
          ${one.drapes.map((drape) =>
            drape.url
              ? html`<img src=${drape.url} alt="${garment.name}, ${drape.body}" width="48" height="64" loading="lazy" />`
              : html`<span class="drape ${drape.state}" role="img" aria-label="${drape.body}: ${drape.state}"></span>`,
          )}
        </span>
      </td>
      <td class="figures">${price(garment.price, garment.currency)}</td>
      <td>
        <button class="button quiet" aria-label=${one.published ? t("merchant.hide", { name: garment.name }) : t("merchant.show", { name: garment.name })} @click=${show}>
          ${icon(one.published ? "eye" : "hidden")}${one.published ? t("merchant.shown") : t("merchant.hidden")}
        </button>
      </td>
    </tr>`;
  };
  const garments = ({ garments: { items } }: Desk): TemplateResult => html`<div class="row">
      ${link("/merchant/add", t("merchant.add"))}
      <button class="button" @click=${() => void download()}>${icon("download")}${t("merchant.download")}</button>
      <label class="button">
        <input class="unseen" type="file" @change=${(event: Event) => void upload((event.target as HTMLInputElement).files?.[0])} />
        ${icon("upload")}${t("merchant.upload")}
      </label>
    </div>
    ${items.length
      ? html`<div class="table" tabindex="0" role="region" aria-label=${t("merchant.garments")}>
          <table>
            <thead>
              <tr>
                <th scope="col">${t("merchant.name")}</th>
                <th scope="col">${t("merchant.pictures")}</th>
                <th scope="col">${t("merchant.price")}</th>
                <th scope="col">${t("merchant.state")}</th>
              </tr>
            </thead>
            <tbody>${items.map(garmentRow)}</tbody>
          </table>
        </div>`
      : notice("shirt", t("merchant.empty.title"), t("merchant.empty.text"))}`;

  const download = async (): Promise<void> => {
    const blob = await (await client.exportCatalogue()).blob();
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(blob);
    anchor.download = "catalogue.zip";
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  };
  const upload = async (file: File | undefined): Promise<void> => {
    if (file) await act(client.importCatalogue(file).then(askRailAgain));
  };

  const orders = ({ orders: { items } }: Desk): TemplateResult =>
    items.length
      ? html`<div class="table" tabindex="0" role="region" aria-label=${t("merchant.orders")}>
          <table>
            <thead>
              <tr>
                <th scope="col">${t("merchant.order")}</th>
                <th scope="col">${t("merchant.when")}</th>
                <th scope="col">${t("merchant.customer")}</th>
                <th scope="col">${t("merchant.items")}</th>
                <th scope="col">${t("merchant.total")}</th>
              </tr>
            </thead>
            <tbody>
              ${items.map(
                ({ order, name, email }) => html`<tr>
                  <th scope="row">${order.number}</th>
                  <td>${moment(order.created)}</td>
                  <td>${name}<br /><span class="hint">${email}</span></td>
                  <td>${order.items.map((item) => html`${item.quantity} × ${item.name}, ${item.size}<br />`)}</td>
                  <td class="figures">${price(order.total, order.currency)}</td>
                </tr>`,
              )}
            </tbody>
          </table>
        </div>`
      : notice("basket", t("merchant.orders"), t("merchant.orders.empty"));

  const addHook = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const url = String(new FormData(form).get("url")).trim();
    await act(client.addWebhook({ url }).then((hook) => ((made = hook), form.reset())));
  };
  const webhooks = ({ hooks, deliveries }: Desk): TemplateResult => html`<form class="row hook-form" @submit=${(event: Event) => void addHook(event)}>
      <div class="field">
        <label for="hook-url">${t("merchant.hooks.url")}</label>
        <input class="input" id="hook-url" name="url" type="url" required placeholder="https://" />
      </div>
      <button class="button main">${icon("plus")}${t("merchant.hooks.add")}</button>
    </form>
    ${made?.secret
      ? html`<div class="field secret">
          <label for="hook-secret">${t("merchant.hooks.secret")}</label>
          <input class="input" id="hook-secret" readonly .value=${made.secret} />
          <span class="hint">${t("merchant.hooks.secret.note")}</span>
        </div>`
      : nothing}
    ${hooks.items.length
      ? html`<ul class="hooks">
          ${hooks.items.map(
            (hook) => html`<li>
              <span class="hook-url">${hook.url}</span>
              <button class="button quiet" @click=${() => void act(client.testWebhook(hook.id))}>${t("merchant.hooks.test")}</button>
              <button class="tool" title=${t("basket.remove", { name: hook.url })} aria-label=${t("basket.remove", { name: hook.url })} @click=${() => void act(client.deleteWebhook(hook.id))}>${icon("delete")}</button>
            </li>`,
          )}
        </ul>`
      : notice("link", t("merchant.webhooks"), t("merchant.hooks.empty"))}
    ${deliveries.items.length
      ? html`<div class="table" tabindex="0" role="region" aria-label=${t("merchant.webhooks")}>
          <table>
            <tbody>
              ${deliveries.items.map((one) => {
                const last = one.attempts.at(-1);
                const failedWith = last && (last.error || `HTTP ${last.status}`);
                return html`<tr>
                  <th scope="row">${one.order ? t("merchant.hooks.order", { number: one.order }) : one.event}</th>
                  <td>${t("merchant.hooks.tries", { count: one.attempts.length })}</td>
                  <td>
                    ${one.state === "acknowledged"
                      ? html`<span class="good">${icon("check")}${t("merchant.hooks.sent")}</span>`
                      : html`<span class="warn">${icon("alert")}${failedWith ? t("merchant.hooks.failed", { why: failedWith }) : t("merchant.hooks.waiting", { when: one.next_at ? moment(one.next_at) : "" })}</span>`}
                  </td>
                  <td>
                    ${one.state === "waiting"
                      ? html`<button class="button quiet" @click=${() => void act(client.retryDelivery(one.id))}>${icon("retry")}${t("merchant.hooks.retry")}</button>`
                      : nothing}
                  </td>
                </tr>`;
              })}
            </tbody>
          </table>
        </div>`
      : nothing}`;

  const inside = (): TemplateResult => html`<header class="page-head row">
      <h1>${t("merchant.title")}</h1>
      <button class="button quiet" @click=${() => (leaveShop(), (desk = undefined), update())}>${t("merchant.leave")}</button>
    </header>
    <div class="chips" role="group" aria-label=${t("merchant.title")}>
      ${TABS.map((one) => html`<button class="chip" aria-pressed=${one === tab ? "true" : "false"} @click=${() => ((tab = one), update())}>${t(`merchant.${one}`)}</button>`)}
    </div>
    ${error ? failed(error, () => void load()) : !desk ? skeletons("rows", 6) : { garments, orders, webhooks }[tab](desk)}`;

  return {
    title: () => t("merchant.title"),
    view: () => html`<div class="page ${isOpen() ? "" : "narrow"}">${isOpen() ? inside() : door()}</div>`,
  };
}
