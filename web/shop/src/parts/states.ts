/** What stands in a page's place when there is nothing, not yet anything, or an error. */
import { html, type TemplateResult } from "lit-html";
import { t } from "../texts";
import { icon, type IconName } from "./icon";

/** A page or a part of one that is empty or broken, with one way on. */
export function notice(sign: IconName, title: string, text: string, way?: TemplateResult): TemplateResult {
  return html`<section class="notice">
    <span class="notice-sign">${icon(sign)}</span>
    <h2>${title}</h2>
    <p>${text}</p>
    ${way ?? ""}
  </section>`;
}

export function link(path: string, text: string, kind = "main"): TemplateResult {
  return html`<a class="button ${kind}" href=${path}>${text}</a>`;
}

/** What failed, in words, and a button to try again. */
export function failed(error: unknown, again: () => void): TemplateResult {
  const button = html`<button class="button main" @click=${again}>${icon("retry")}${t("state.again")}</button>`;
  if (!navigator.onLine) return notice("offline", t("state.offline.title"), t("state.offline.text"), button);
  const words = error instanceof Error && error.name === "Refusal" ? error.message : t("state.failed.text");
  return notice("alert", t("state.failed.title"), words, button);
}

/** Grey shapes of the final size while something is fetched. */
export function skeletons(kind: string, count: number): TemplateResult {
  return html`<div class="skeletons ${kind}" role="status">
    <span class="unseen">${t("state.loading")}</span>
    ${Array.from({ length: count }, () => html`<span class="skeleton" aria-hidden="true"></span>`)}
  </div>`;
}
