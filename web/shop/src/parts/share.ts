/** A link that shows a look and nothing else of the visitor's. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { TryOn } from "../../../shared/api";
import { client } from "../shop";
import { t } from "../texts";
import type { Update } from "../page";
import { icon } from "./icon";
import { say } from "./say";

export interface ShareBox {
  button: (tryOn: TryOn | undefined) => TemplateResult;
  box: () => TemplateResult | typeof nothing;
}

export function shareBox(update: Update): ShareBox {
  let url = "";
  const make = async (tryOn: TryOn): Promise<void> => {
    try {
      url = (await client.shareTryOn(tryOn.id, {})).url;
      await navigator.clipboard?.writeText(url).then(() => say(t("garment.share.done")), () => undefined);
    } catch {
      say(t("state.failed.text"));
    }
    update();
  };
  return {
    button: (tryOn) => html`<button class="button" ?disabled=${!tryOn} @click=${() => tryOn && void make(tryOn)}>
      ${icon("share")}${t("garment.share")}
    </button>`,
    box: () =>
      url
        ? html`<div class="field share">
            <label for="share-link">${t("garment.share.link")}</label>
            <input class="input" id="share-link" readonly .value=${url} @focus=${(e: Event) => (e.target as HTMLInputElement).select()} />
            <p class="hint">${t("look.text")}</p>
          </div>`
        : nothing,
  };
}
