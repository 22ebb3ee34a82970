/** The frame round every page: name, ways, what stands at the foot. */
import { html, nothing, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { basketCount } from "./basket";
import { icon, type IconName } from "./parts/icon";
import type { Update } from "./page";
import { choose, network, settings, type Theme } from "./settings";
import { type Language, LANGUAGES, speak, t, type Units } from "./texts";

function way(path: string, sign: IconName, text: string, here: string, count = 0): TemplateResult {
  const label = count ? t("nav.basket.count", { count }) : nothing;
  return html`<li>
    <a class="way" href=${path} aria-current=${here === path ? "page" : nothing} aria-label=${label}>
      <span class="way-sign">${icon(sign)}${count ? html`<span class="way-count">${count}</span>` : nothing}</span>
      <span>${text}</span>
    </a>
  </li>`;
}

/** The whole document: a change of language draws everything anew. */
export function frame(page: TemplateResult, path: string, update: Update): TemplateResult {
  return html`${keyed(
    settings.language,
    html`<a class="skip" href="#content">${t("shop.skip")}</a>
      <header class="top">
        <a class="name" href="/">${t("shop.name")}</a>
        <nav class="ways" aria-label=${t("nav.main")}>
          <ul>
            ${way("/", "shirt", t("nav.shop"), path)} ${way("/body", "ruler", t("nav.body"), path)}
            ${way("/outfit", "layers", t("nav.outfit"), path)}
            ${way("/basket", "basket", t("nav.basket"), path, basketCount())}
          </ul>
        </nav>
      </header>
      ${navigator.onLine && !network.lost ? nothing : html`<p class="offline" role="status">${icon("offline")}${t("shop.offline")}</p>`}
      <main id="content" tabindex="-1">${page}</main>
      ${foot(update)}
      <div id="said" role="status" aria-live="polite"></div>`,
  )}`;
}

function foot(update: Update): TemplateResult {
  const language = async (event: Event) => {
    const chosen = (event.target as HTMLSelectElement).value as Language;
    await speak(chosen);
    choose({ language: chosen });
    update();
  };
  const units = (event: Event) => {
    choose({ units: (event.target as HTMLSelectElement).value as Units });
    update();
  };
  const theme = (event: Event) => {
    choose({ theme: (event.target as HTMLSelectElement).value as Theme });
    update();
  };
  const themes = { auto: t("footer.theme.auto"), light: t("footer.theme.light"), dark: t("footer.theme.dark") };
  return html`<footer class="foot">
    <p>${t("footer.privacy")}</p>
    <div class="foot-choices">
      ${choice(t("footer.language"), LANGUAGES, settings.language, language)}
      ${choice(t("footer.units"), { cm: t("units.cm"), in: t("units.in") }, settings.units, units)}
      ${choice(t("footer.theme"), themes, settings.theme, theme)}
    </div>
    <a href="/merchant">${t("footer.merchant")}</a>
  </footer>`;
}

function choice(
  label: string,
  options: Record<string, string>,
  chosen: string,
  change: (event: Event) => unknown,
): TemplateResult {
  return html`<label class="choice">
    <span>${label}</span>
    <select class="input" @change=${change}>
      ${Object.entries(options).map(
        ([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`,
      )}
    </select>
  </label>`;
}
