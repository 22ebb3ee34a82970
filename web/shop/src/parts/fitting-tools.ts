/** What one can do in what is worn: move, wind, how it fits; and how far the sewing is. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { EaseRow, FitLayer } from "../../../shared/api";
import { settings } from "../settings";
import { length, t, type TextKey, word } from "../texts";
import type { Act, Fitting } from "./fitting";
import { icon, type IconName } from "./icon";
import { failed } from "./states";
import { vars } from "./vars";

const ACTS: [Act, IconName][] = [
  ["stand", "stand"],
  ["turn", "turn"],
  ["walk", "walk"],
  ["sit", "sit"],
  ["reach", "reach"],
];
const WINDS: [number, TextKey][] = [
  [0, "garment.wind.off"],
  [3, "garment.wind.breeze"],
  [8, "garment.wind.gust"],
];
const LAYERS: [FitLayer["name"], TextKey][] = [
  ["stretch", "garment.fit.stretch"],
  ["distance", "garment.fit.distance"],
];
const WORDS = ["loose", "easy", "close", "tight", "too tight"];

export function actButtons(fitting: Fitting, move: (act: Act) => void): TemplateResult {
  return html`<div class="acts" role="group" aria-label=${t("garment.poses")}>
    ${ACTS.map(
      ([act, sign]) => html`<button
        class="act"
        aria-pressed=${fitting.act === act ? "true" : "false"}
        aria-busy=${fitting.preparing === act ? "true" : "false"}
        @click=${() => move(act)}
      >
        ${icon(sign)}<span>${t(`pose.${act}`)}</span>
      </button>`,
    )}
  </div>`;
}

export function windButtons(fitting: Fitting, blow: (wind: number) => void): TemplateResult {
  return html`<fieldset class="switch">
    <legend class="label">${icon("wind")}${t("garment.wind")}</legend>
    ${WINDS.map(
      ([value, text]) => html`<label class="switch-choice">
        <input type="radio" name="wind" .checked=${fitting.wind === value} @change=${() => blow(value)} />
        <span>${t(text)}</span>
      </label>`,
    )}
  </fieldset>`;
}

/** The map's switch, its legend of five words, and the room at bust, waist and hips. */
export function fitPanel(fitting: Fitting, other: Fitting | undefined, show: (on: boolean, layer: FitLayer["name"]) => void): TemplateResult {
  const { fit, fitLayer } = fitting;
  const words = fitLayer === "stretch" ? WORDS : [...(fit?.layers.find((layer) => layer.name === "distance")?.words ?? [])].reverse();
  return html`<div class="fit">
    <button class="button" aria-pressed=${fitting.fitShown ? "true" : "false"} ?disabled=${!fit} @click=${() => show(!fitting.fitShown, fitLayer)}>
      ${icon("map")}${t("garment.fit")}
    </button>
    ${fit && fitting.fitShown
      ? html`<figure class="legend">
          <figcaption>
            ${LAYERS.map(
              ([layer, text]) => html`<label class="switch-choice">
                <input type="radio" name="fit-layer" .checked=${layer === fitLayer} @change=${() => show(true, layer)} />
                <span>${t(text)}</span>
              </label>`,
            )}
            <span class="hint">${t(fitLayer === "stretch" ? "garment.fit.stretch.text" : "garment.fit.distance.text")}</span>
          </figcaption>
          <ul>
            ${words.map((name, i) => html`<li class=${key(WORDS[i] ?? "")}><span aria-hidden="true"></span>${fitWord(name)}</li>`)}
          </ul>
        </figure>`
      : nothing}
    ${fit ? easeTable(fit.ease, other?.fit?.ease) : nothing}
  </div>`;
}

function key(name: string): string {
  return name.replace(" ", "-");
}

function fitWord(name: string): string {
  return word(`fit.${name.replace(" ", "_")}`, name);
}

function easeTable(rows: EaseRow[], beside: EaseRow[] | undefined): TemplateResult {
  const cell = (row: EaseRow | undefined): TemplateResult =>
    row
      ? html`<td>
          <span class="fit-word ${key(row.word)}">${fitWord(row.word)}</span>
          <span class="hint">${row.ease >= 0 ? t("fit.room", { length: length(row.ease, settings.units) }) : t("fit.lacks", { length: length(-row.ease, settings.units) })}</span>
        </td>`
      : html`<td class="hint">${t("fit.none")}</td>`;
  return html`<table class="ease">
    <tbody>
      ${rows.map(
        (row) => html`<tr>
          <th scope="row">${word(`fit.${row.level}`, row.level)}</th>
          ${cell(row)} ${beside ? cell(beside.find((one) => one.level === row.level)) : nothing}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/** How far the sewing is, or why it could not be done. */
export function progress(fitting: Fitting, again: () => void): TemplateResult | typeof nothing {
  const { work } = fitting;
  if (fitting.state === "failed") return html`<div class="stage-said">${failed(fitting.error, again)}</div>`;
  if (fitting.state !== "sewing") {
    return fitting.preparing
      ? html`<p class="stage-note" role="status"><span class="thread" aria-hidden="true"></span>${t(`pose.${fitting.preparing}`)} …</p>`
      : nothing;
  }
  const before = work?.state === "queued" ? (work.queue_position ?? 0) : 0;
  const text = before ? t("garment.sewing.queue", { count: before }) : word(`garment.sewing.${work?.stage}`, t("garment.sewing"));
  return html`<div class="stage-note" role="status">
    <span>${text}</span>
    <span class="stitching" ${vars({ done: String(work?.progress ?? 0) })} aria-hidden="true"></span>
    <button class="button quiet" @click=${() => void fitting.cancel()}>${t("garment.sewing.cancel")}</button>
  </div>`;
}
