/** Sizes in a row; the one we would take is marked, with the reason in a line. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Garment, SizeAdvice } from "../../../shared/api";
import { t, word } from "../texts";

export function sizeRow(garment: Garment, advice: SizeAdvice, size: string, take: (size: string) => void): TemplateResult {
  const wordOf = (one: string): string => {
    const found = advice.sizes.find((fit) => fit.size === one)?.word;
    return found ? word(`fit.${found.replace(" ", "_")}`, found) : "";
  };
  return html`<fieldset class="sizes">
    <legend class="label">${t("garment.sizes")}</legend>
    <div class="size-row">
      ${garment.sizes.map(
        (one) => html`<label class="size ${one === advice.recommended ? "best" : ""}">
          <input type="radio" name="size" value=${one} .checked=${one === size} @change=${() => take(one)} />
          <span>${one}</span>
          ${one === advice.recommended ? html`<span class="unseen">${t("garment.size.best")}</span>` : nothing}
        </label>`,
      )}
    </div>
    <p class="size-reason"><strong>${t("garment.size.for", { size: advice.recommended })}</strong> ${advice.reason}</p>
    ${size !== advice.recommended && wordOf(size) ? html`<p class="hint">${size}: ${wordOf(size)}</p>` : nothing}
  </fieldset>`;
}
