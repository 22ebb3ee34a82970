/** Sizes in a row; the one we would take is marked, with the reason in a line. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Garment, SizeAdvice } from "../../../shared/api";
import { settings } from "../settings";
import { length, t, word } from "../texts";

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
    <p class="size-reason"><strong>${t("garment.size.for", { size: advice.recommended })}</strong> ${reason(advice)}</p>
    ${size !== advice.recommended && wordOf(size) ? html`<p class="hint">${size}: ${wordOf(size)}</p>` : nothing}
  </fieldset>`;
}

/** Why this size, in the visitor's words and units. */
function reason({ recommended, sizes }: SizeAdvice): string {
  const fit = sizes.find((one) => one.size === recommended);
  if (!fit?.ease.length) return "";
  const tight = fit.word === "tight" || fit.word === "too tight";
  // where it is closest says most
  const closest = [...fit.ease].sort((a, b) => a.ease - b.ease).slice(0, 2);
  const rooms = closest.map(({ level, ease }) => {
    const room = ease >= 0 || Math.abs(ease) < 0.005 ? "garment.size.room" : "garment.size.lacks";
    return t(room, { length: length(Math.abs(ease), settings.units, 0), level: word(`fit.${level}`, level).toLowerCase() });
  });
  return `${t(tight ? "garment.size.none" : "garment.size.meant")} ${rooms.join(", ")}.`;
}
