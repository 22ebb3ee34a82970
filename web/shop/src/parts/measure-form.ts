/** Sliders for a body's measures: the body follows while a slider moves, a tape shows where it is measured. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Body, BodyRequest, MeasureRange } from "../../../shared/api";
import { client } from "../shop";
import { figure, length, metresOf, t, word } from "../texts";
import { choose, settings } from "../settings";
import type { Update } from "../page";
import type { BodyStage } from "./body-stage";
import { icon } from "./icon";
import { readVertices } from "./wire";

type Sex = "female" | "male";
type Name = MeasureRange["name"];

export interface MeasureForm {
  view: () => TemplateResult;
  start: (ranges: MeasureRange[], body: Body) => void;
  /** begin again from another body */
  take: (body: Body) => void;
}

export function measureForm(update: Update, stage: BodyStage, done: (body: Body) => Promise<void>): MeasureForm {
  let ranges: MeasureRange[] = [];
  let sex: Sex = "female";
  let measures: Record<string, number> = {};
  /** what the visitor set; the rest is inferred */
  let given: Partial<Record<Name, number>> = {};
  let notes: string[] = [];
  let saving = false;
  let busy = false;
  let waiting = false;

  const request = (): BodyRequest => ({ sex, measures: given });

  // one question at a time: while it is answered, only the latest wish is kept
  const preview = async (): Promise<void> => {
    if (busy) return void (waiting = true);
    busy = true;
    try {
      const answer = await client.previewBody(request());
      const { head, vertices } = readVertices(await answer.arrayBuffer());
      stage.change(vertices);
      measures = { ...head.measures, ...given };
      notes = head.notes ?? [];
    } catch {
      // the next movement of a slider asks again
    }
    busy = false;
    update();
    if (waiting) {
      waiting = false;
      void preview();
    }
  };
  const set = (name: Name, value: number) => {
    given = { ...given, [name]: value };
    measures = { ...measures, [name]: value };
    update();
    void preview();
  };
  const turn = (next: Sex) => {
    sex = next;
    given = {};
    void preview();
  };
  const take = (body: Body) => {
    measures = { ...body.measures };
    sex = body.sex ?? "female";
    given = body.kind === "standard" ? {} : pick(body.measures, ranges);
    notes = body.notes;
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    saving = true;
    update();
    try {
      await done(await client.createBody(request()));
    } finally {
      saving = false;
      update();
    }
  };

  const sexes = (): TemplateResult => html`<fieldset class="switch">
    <legend class="label">${t("body.frame")}</legend>
    ${(["female", "male"] as const).map(
      (value) => html`<label class="switch-choice">
        <input type="radio" name="sex" .checked=${sex === value} @change=${() => turn(value)} />
        <span>${value === "female" ? t("body.woman") : t("body.man")}</span>
      </label>`,
    )}
  </fieldset>`;

  const units = (): TemplateResult => html`<fieldset class="switch">
    <legend class="label">${t("body.units")}</legend>
    ${(["cm", "in"] as const).map(
      (value) => html`<label class="switch-choice">
        <input type="radio" name="units" .checked=${settings.units === value} @change=${() => (choose({ units: value }), update())} />
        <span>${value}</span>
      </label>`,
    )}
  </fieldset>`;

  const slider = (range: MeasureRange): TemplateResult => {
    const name = range.name;
    const value = measures[name];
    if (value === undefined) return html``;
    const weight = name === "weight";
    const units = settings.units;
    const shown = weight ? `${Math.round(value)}\u202fkg` : length(value, units);
    const typed = (event: Event) => {
      const figures = Number.parseFloat((event.target as HTMLInputElement).value.replace(",", "."));
      const wanted = weight ? figures : figures * metresOf(units);
      if (Number.isFinite(wanted)) set(name, Math.min(Math.max(wanted, range.low), range.high));
    };
    const how = `measure.how.${name}`;
    const step = weight ? 0.5 : units === "cm" ? 0.005 : 0.00635;
    return html`<div class="measure">
      <label for="measure-${name}">${word(`measure.${name}`, name)}</label>
      <span class="measure-figure">
        <input
          class="figure"
          inputmode="decimal"
          aria-label="${word(`measure.${name}`, name)}, ${weight ? "kg" : units}"
          .value=${weight ? String(Math.round(value)) : figure(value, units)}
          @change=${typed}
        />
        <span aria-hidden="true">${weight ? "kg" : units}</span>
      </span>
      <input
        type="range"
        id="measure-${name}"
        min=${range.low}
        max=${range.high}
        step=${step}
        .value=${String(value)}
        aria-valuetext=${shown}
        aria-describedby=${`how-${name}`}
        @input=${(event: Event) => set(name, Number((event.target as HTMLInputElement).value))}
        @pointerdown=${() => stage.tape(name)}
        @focus=${() => stage.tape(name)}
        @blur=${() => stage.tape(undefined)}
      />
      <span class="hint" id="how-${name}">${word(how, "")}</span>
    </div>`;
  };

  return {
    start: (found, body) => {
      ranges = found;
      take(body);
    },
    take,
    view: () => html`<form class="measures" @submit=${(event: Event) => void save(event)}>
      <div class="measures-head">${sexes()} ${units()}</div>
      <div class="sliders">${ranges.filter((range) => range.first).map(slider)}</div>
      <details class="more">
        <summary>${icon("open")}${t("body.more")}</summary>
        <div class="sliders">${ranges.filter((range) => !range.first).map(slider)}</div>
      </details>
      ${notes.length ? html`<ul class="notes">${notes.map((line) => html`<li>${icon("alert")}${line}</li>`)}</ul>` : nothing}
      <button class="button main wide" ?disabled=${saving}>${icon("check")}${t("body.save")}</button>
    </form>`,
  };
}

function pick(measures: Record<string, number>, ranges: MeasureRange[]): Partial<Record<Name, number>> {
  return Object.fromEntries(ranges.filter((r) => r.first && r.name in measures).map((r) => [r.name, measures[r.name]]));
}
