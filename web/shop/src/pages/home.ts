/** The first screen: somebody walks by in this week's dress; behind her the rail. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Catalogue, Garment } from "../../../shared/api";
import { garmentCard } from "../parts/card";
import { icon } from "../parts/icon";
import { failed, notice, skeletons } from "../parts/states";
import type { Page, Update } from "../page";
import { askRailAgain, theRail } from "../shop";
import { t, word } from "../texts";
import { walkBy } from "../parts/walk-by";

export function home(_: Record<string, string>, update: Update): Page {
  let rail: Catalogue | undefined;
  let error: unknown;
  let kind = "";
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
        ${error ? failed(error, again) : rail ? railView(rail, kind, choose) : skeletons("cards", 8)}
      </section>`,
  };
}

function railView(rail: Catalogue, kind: string, choose: (kind: string) => void): TemplateResult {
  if (!rail.garments.length) return notice("scissors", t("home.empty.title"), t("home.empty.text"));
  const shown = rail.garments.filter((garment) => !kind || garment.kind === kind);
  const chip = (value: string, text: string) =>
    html`<li>
      <button class="chip" aria-pressed=${value === kind ? "true" : "false"} @click=${() => choose(value)}>${text}</button>
    </li>`;
  return html`<ul class="chips" aria-label=${t("home.filter")}>
      ${chip("", t("home.filter.all"))} ${rail.filters.kinds.map((value) => chip(value, word(`kind.${value}`, value)))}
    </ul>
    ${shown.length
      ? html`<ul class="cards">
          ${shown.map((garment: Garment, i) => html`<li>${garmentCard(garment, i < 4)}</li>`)}
        </ul>`
      : html`<p class="hint">${t("home.none")}</p>`}`;
}
