/** The first screen: somebody walks by in this week's dress; behind her the rail. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Catalogue, Garment } from "../../../shared/api";
import { garmentCard } from "../parts/card";
import { icon } from "../parts/icon";
import { failed, notice, skeletons } from "../parts/states";
import type { Page, Update } from "../page";
import { askRailAgain, theRail } from "../shop";
import { ours, price, t, word } from "../texts";
import { walkBy } from "../parts/walk-by";

export function home(_: Record<string, string>, update: Update): Page {
  let rail: Catalogue | undefined;
  let error: unknown;
  let kind = "";
  let open = false;
  const wanted: Wanted = { sex: "", size: "", fabric: "", high: 0, text: "", order: "shop" };
  const load = () => {
    error = undefined;
    theRail().then(
      (found) => {
        rail = found;
        update();
      },
      (why: unknown) => {
        error = why;
        update();
      },
    );
  };
  load();
  const again = () => {
    askRailAgain();
    load();
    update();
  };
  const choose = (wanted: string) => {
    kind = wanted;
    update();
  };
  const change = (values: Partial<Wanted>) => {
    Object.assign(wanted, values);
    update();
  };
  const hero = walkBy(update);

  return {
    title: () => "",
    leave: hero.leave,
    view: () => html`<section class="hero">
        ${hero.view()}
        <div class="hero-words">
          <h1>${t("home.title")}</h1>
          <p>${t("home.text")}</p>
          <a class="button main" href="/body">${icon("ruler")}${t("home.try")}</a>
        </div>
      </section>
      <section class="rail page" aria-labelledby="rail-title">
        <div class="rail-head">
          <h2 id="rail-title">${t("home.catalogue")}</h2>
          ${rail ? html`<p class="hint">${t("home.catalogue.count", { count: rail.total })}</p>` : nothing}
        </div>
        ${error ? failed(error, again) : rail ? railView(rail, kind, choose, wanted, open, change, () => ((open = !open), update())) : skeletons("cards", 8)}
      </section>`,
  };
}

/** what hangs on the rail is narrowed down by; empty or 0: everything */
interface Wanted {
  sex: string;
  size: string;
  fabric: string;
  high: number;
  text: string;
  order: "shop" | "price" | "price_down";
}

function takes(garment: Garment, wanted: Wanted): boolean {
  return (
    (!wanted.sex || garment.sex === wanted.sex || garment.sex === "all") &&
    (!wanted.size || garment.sizes.includes(wanted.size)) &&
    (!wanted.fabric || garment.fabric === wanted.fabric) &&
    (!wanted.high || garment.price <= wanted.high) &&
    `${ours(garment.name)} ${ours(garment.text)}`.toLowerCase().includes(wanted.text.toLowerCase())
  );
}

const ORDERS = ["shop", "price", "price_down"] as const;
const STEPS = 4;

/** Everything else that narrows the rail; folded away until it is asked for. */
function filters(rail: Catalogue, wanted: Wanted, change: (values: Partial<Wanted>) => void): TemplateResult {
  const pick = (text: string, value: string, options: [string, string][], take: (value: string) => void): TemplateResult =>
    html`<label class="choice">
      <span>${text}</span>
      <select class="input" @change=${(event: Event) => take((event.target as HTMLSelectElement).value)}>
        ${options.map(([key, name]) => html`<option value=${key} ?selected=${key === value}>${name}</option>`)}
      </select>
    </label>`;
  const any: [string, string] = ["", t("home.filter.any")];
  const { price_low: low, price_high: high } = rail.filters;
  const prices = [...new Set(Array.from({ length: STEPS }, (_, i) => 1000 * Math.ceil((low + ((high - low) * (i + 1)) / STEPS) / 1000)))];
  const currency = rail.garments[0]?.currency ?? "EUR";
  return html`<div class="filters" id="filters">
    <label class="choice"><span>${t("home.filter.search")}</span><input class="input" type="search" .value=${wanted.text} @input=${(event: Event) => change({ text: (event.target as HTMLInputElement).value })} /></label>
    ${pick(t("home.filter.for"), wanted.sex, [any, ["female", t("home.filter.female")], ["male", t("home.filter.male")]], (sex) => change({ sex }))}
    ${pick(t("home.filter.size"), wanted.size, [any, ...rail.filters.sizes.map((size): [string, string] => [size, size])], (size) => change({ size }))}
    ${pick(t("home.filter.fabric"), wanted.fabric, [any, ...rail.filters.fabrics.map((one): [string, string] => [one, word(`fabric.${one}`, one)])], (fabric) => change({ fabric }))}
    ${pick(t("home.filter.price"), String(wanted.high || ""), [any, ...prices.map((cents): [string, string] => [String(cents), price(cents, currency)])], (cents) => change({ high: Number(cents) }))}
    ${pick(t("home.sort"), wanted.order, ORDERS.map((one): [string, string] => [one, t(`home.sort.${one}`)]), (order) => change({ order: order as Wanted["order"] }))}
  </div>`;
}

function railView(
  rail: Catalogue, kind: string, choose: (kind: string) => void, wanted: Wanted, open: boolean, change: (values: Partial<Wanted>) => void, fold: () => void,
): TemplateResult {
  if (!rail.garments.length) return notice("scissors", t("home.empty.title"), t("home.empty.text"));
  const shown = rail.garments.filter((garment) => (!kind || garment.kind === kind) && takes(garment, wanted));
  if (wanted.order !== "shop") shown.sort((a, b) => (wanted.order === "price" ? a.price - b.price : b.price - a.price));
  const chip = (value: string, text: string) =>
    html`<li>
      <button class="chip" aria-pressed=${value === kind ? "true" : "false"} @click=${() => choose(value)}>${text}</button>
    </li>`;
  return html`<ul class="chips" aria-label=${t("home.filter")}>
      ${chip("", t("home.filter.all"))} ${rail.filters.kinds.map((value) => chip(value, word(`kind.${value}`, value)))}
    </ul>
    <button class="button quiet" aria-expanded=${open ? "true" : "false"} aria-controls="filters" @click=${fold}>${icon("open")}${t("home.filter.more")}</button>
    ${open ? filters(rail, wanted, change) : nothing}
    ${shown.length
      ? html`<ul class="cards">
          ${shown.map((garment: Garment, i) => html`<li>${garmentCard(garment, i < 4)}</li>`)}
        </ul>`
      : html`<p class="hint">${t("home.none")}</p>`}`;
}
