/** Controls made of what a settings class says of itself: name, kind, limits, unit, help. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Control } from "../../../shared/studio-messages";
import { figure, said, type Unit, unitOf } from "../quantity";
import { state } from "../state";
import { t, word } from "../texts";
import { icon, type IconName } from "./icon";
import type { NumberChange } from "./number-field";

export type Setting = number | boolean | string;

/** A row with its name; help and unit stand in the tooltip. */
export function row(label: string, field: TemplateResult, help = ""): TemplateResult {
  return html`<div class="row" data-tip=${help || nothing}><span class="row-name">${label}</span>${field}</div>`;
}

export interface NumberOptions {
  unit: Unit;
  min?: number | undefined;
  max?: number | undefined;
  help?: string;
  digits?: number;
  change: (value: number, done: boolean) => void;
}

/** A number that is typed, dragged or reckoned. */
export function numberRow(label: string, value: number, o: NumberOptions): TemplateResult {
  const field = html`<number-field
    label=${label} .unit=${o.unit} .digits=${o.digits} .min=${o.min ?? -Infinity} .max=${o.max ?? Infinity} .value=${value}
    @value=${(e: CustomEvent<NumberChange>) => o.change(e.detail.value, e.detail.done)}
  ></number-field>`;
  return row(label, field, o.help);
}

/** A slider with its number beside it. */
export function sliderRow(label: string, value: number, o: NumberOptions & { min: number; max: number; name?: string }): TemplateResult {
  const give = (done: boolean) => (event: Event) => o.change((event.target as HTMLInputElement).valueAsNumber, done);
  return html`<div class="slider-row" data-tip=${o.help || nothing}>
    <span class="row-name">${label}</span>
    <number-field
      label=${label} .unit=${o.unit} .digits=${o.digits} .min=${o.min} .max=${o.max} .value=${value}
      @value=${(e: CustomEvent<NumberChange>) => o.change(e.detail.value, e.detail.done)}
    ></number-field>
    <input
      type="range" name=${o.name ?? nothing} aria-label=${label} aria-valuetext=${said(value, o.unit)} min=${o.min} max=${o.max} step=${(o.max - o.min) / 400} .value=${String(value)}
      @input=${give(false)} @change=${give(true)}
    />
  </div>`;
}

export function choiceRow(label: string, options: readonly (readonly [string, string])[], chosen: string, change: (value: string) => void, help = ""): TemplateResult {
  const field = html`<select class="input" aria-label=${label} @change=${(e: Event) => pick(e.target as HTMLSelectElement, chosen, change)}>
    ${options.map(([value, text]) => html`<option value=${value} .selected=${value === chosen}>${text}</option>`)}
  </select>`;
  return row(label, field, help);
}

/** A list that offers things to add goes back to its first line. */
function pick(list: HTMLSelectElement, chosen: string, change: (value: string) => void): void {
  change(list.value);
  if (chosen === "") list.value = "";
}

export function switchRow(label: string, on: boolean, change: (on: boolean) => void, help = ""): TemplateResult {
  return html`<label class="row" data-tip=${help || nothing}>
    <span class="row-name">${label}</span><input type="checkbox" role="switch" .checked=${on} @change=${(e: Event) => change((e.target as HTMLInputElement).checked)} />
  </label>`;
}

export function textRow(label: string, value: string, change: (value: string) => void, help = ""): TemplateResult {
  return row(label, html`<input class="input" type="text" aria-label=${label} .value=${value} @change=${(e: Event) => change((e.target as HTMLInputElement).value)} />`, help);
}

/** A setting as its class describes it. */
export function controlRow(control: Control, value: Setting | undefined, change: (value: Setting, done: boolean) => void): TemplateResult {
  const label = word(`setting.${control.name}`, control.name), now = value ?? control.default, help = helpOf(control);
  if (control.kind === "switch") return switchRow(label, now === true, (on) => change(on, true), help);
  if (control.kind === "choice") return choiceRow(label, control.choices.map((name) => [name, word(`choice.${name}`, name)] as const), String(now), (one) => change(one, true), help);
  if (control.kind === "text" || typeof now !== "number") return textRow(label, String(now), (text) => change(text, true), help);
  const unit = control.kind === "whole" ? { sign: control.unit, size: 1, digits: 0 } : unitOf(control.unit, state.unit);
  const give = (v: number, done: boolean): void => change(control.kind === "whole" ? Math.round(v) : v, done);
  const options = { unit, help, min: control.low ?? undefined, max: control.high ?? undefined, change: give };
  const narrow = control.low !== null && control.high !== null && control.high - control.low > 0 && control.high / Math.max(Math.abs(control.low), 1e-12) < 50;
  return narrow ? sliderRow(label, now, { ...options, min: control.low!, max: control.high!, name: control.name }) : numberRow(label, now, options);
}

function helpOf(control: Control): string {
  const unit = unitOf(control.unit, state.unit), limits = control.low !== null && control.high !== null && control.kind !== "switch";
  return [control.help, limits ? t("field.limits", { low: figure(control.low!, unit), high: figure(control.high!, unit), unit: unit.sign }) : ""].filter(Boolean).join(" · ");
}

/** A part of a panel that folds. */
export function section(title: string, content: TemplateResult | typeof nothing, open = true): TemplateResult {
  return html`<details class="section" ?open=${open}><summary>${title}${icon("open")}</summary><div class="section-body">${content}</div></details>`;
}

export function act(text: string, sign: IconName, run: () => void, o: { off?: boolean; main?: boolean; tip?: string; key?: string } = {}): TemplateResult {
  return html`<button class="small ${o.main ? "main" : ""}" ?disabled=${o.off ?? false} data-tip=${o.tip ?? nothing} data-key=${o.key ?? nothing} @click=${run}>${icon(sign)}${text}</button>`;
}
