/** Who buys and where it goes: five fields and one button. */
import { html, nothing, type TemplateResult } from "lit-html";
import { currentBasket, emptied, readBasket } from "../basket";
import { failed, link, notice, skeletons } from "../parts/states";
import { go, type Page, type Update } from "../page";
import { client } from "../shop";
import { type TextKey, ours, price, t } from "../texts";

type Field = "name" | "email" | "street" | "postcode" | "city" | "country";
const FIELDS: [Field, TextKey, string][] = [
  ["name", "order.name", "name"],
  ["email", "order.email", "email"],
  ["street", "order.address", "street-address"],
  ["postcode", "order.postcode", "postal-code"],
  ["city", "order.city", "address-level2"],
  ["country", "order.country", "country-name"],
];

export function order(_: Record<string, string>, update: Update): Page {
  let error: unknown;
  let wrong: Partial<Record<Field, TextKey>> = {};
  let placing = false;
  // sent again after a lost answer it is still one order
  const key = crypto.randomUUID();
  readBasket().then(update, (why: unknown) => {
    error = why;
    update();
  });

  const check = (values: Record<Field, string>): boolean => {
    wrong = {};
    for (const [name] of FIELDS) if (!values[name]) wrong[name] = "order.missing";
    if (values.email && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(values.email)) wrong.email = "order.email.wrong";
    const first = FIELDS.find(([name]) => wrong[name])?.[0];
    update();
    if (first) queueMicrotask(() => document.getElementById(`order-${first}`)?.focus());
    return !first;
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const values = Object.fromEntries(FIELDS.map(([name]) => [name, text(name)])) as Record<Field, string>;
    if (placing || !check(values)) return;
    placing = true;
    error = undefined;
    update();
    try {
      const address = [values.street, `${values.postcode} ${values.city}`, values.country].join("\n");
      const placed = await client.placeOrder({ name: values.name, email: values.email, address, note: text("note") }, key);
      emptied();
      if (placed.checkout_url) location.href = placed.checkout_url;
      else go(`/thanks/${encodeURIComponent(placed.number)}`, { replace: true });
    } catch (why) {
      error = why;
    }
    placing = false;
    update();
  };

  const field = ([name, label, complete]: (typeof FIELDS)[number]): TemplateResult => {
    const id = `order-${name}`;
    const fault = wrong[name];
    return html`<div class="field ${id}">
      <label for=${id}>${t(label)}</label>
      <input
        class="input"
        id=${id}
        name=${name}
        type=${name === "email" ? "email" : "text"}
        autocomplete=${complete}
        maxlength="80"
        required
        aria-invalid=${fault ? "true" : "false"}
        aria-describedby=${fault ? `${id}-wrong` : nothing}
      />
      ${fault ? html`<span class="wrong" id="${id}-wrong">${t(fault)}</span>` : nothing}
    </div>`;
  };
  const content = (): TemplateResult => {
    const held = currentBasket();
    if (!held) return error ? failed(error, () => location.reload()) : skeletons("rows", 4);
    if (!held.items.length) return notice("basket", t("basket.empty.title"), t("basket.empty.text"), link("/", t("outfit.browse")));
    return html`<form class="order" novalidate @submit=${(event: Event) => void send(event)}>
      <div class="order-fields">
        ${FIELDS.map(field)}
        <div class="field note">
          <label for="order-note">${t("order.note")}</label>
          <textarea class="input" id="order-note" name="note" rows="2" maxlength="1000"></textarea>
        </div>
      </div>
      <section class="order-summary" aria-label=${t("order.summary")}>
        <ul>
          ${held.items.map((item) => html`<li><span>${item.quantity} × ${ours(item.name)}, ${item.size}</span><span>${price(item.price * item.quantity, held.currency)}</span></li>`)}
        </ul>
        <p class="total"><span>${t("basket.total")}</span><strong>${price(held.total, held.currency)}</strong></p>
      </section>
      ${error ? html`<p class="wrong" role="alert">${error instanceof Error && error.name === "Refusal" ? error.message : t("order.failed")}</p>` : nothing}
      <button class="button main wide" ?disabled=${placing}>${placing ? t("order.placing") : t("order.place")}</button>
      <p class="hint">${t("basket.next")}</p>
    </form>`;
  };
  return {
    title: () => t("order.title"),
    view: () => html`<div class="page narrow">
      <header class="page-head"><h1>${t("order.title")}</h1></header>
      ${content()}
    </div>`,
  };
}
