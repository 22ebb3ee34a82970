/** Upload of a scan: what was found, and what only the visitor can say. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Body, Question } from "../../../shared/api";
import { client } from "../shop";
import { figure, length, metresOf, t } from "../texts";
import { settings } from "../settings";
import type { Update } from "../page";
import type { BodyStage } from "./body-stage";
import { icon } from "./icon";
import { failed } from "./states";

const MEGABYTES = 64;

export interface ScanForm {
  view: () => TemplateResult;
}

export function scanForm(update: Update, stage: BodyStage, done: (body: Body) => Promise<void>): ScanForm {
  let reading = false;
  let error: unknown;
  let found: Body | undefined;
  let asksHeight = false;

  const send = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    reading = true;
    error = found = undefined;
    update();
    try {
      found = await client.uploadScan(file, { name: file.name.replace(/\.\w+$/, "").slice(0, 80) });
      stage.show(found);
    } catch (why) {
      error = why;
    }
    reading = false;
    update();
  };
  const answer = async (change: { height?: number; confirmed?: string[] }): Promise<void> => {
    if (!found) return;
    try {
      found = await client.answerBody(found.id, change);
      asksHeight = false;
      stage.show(found);
    } catch (why) {
      error = why;
    }
    update();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void send(event.dataTransfer?.files[0]);
  };
  const begin = (): TemplateResult => html`<div class="drop" @dragover=${(e: Event) => e.preventDefault()} @drop=${drop}>
    ${icon("scan")}
    <p>${t("scan.text", { size: MEGABYTES })}</p>
    <label class="button main">
      <input
        class="unseen"
        type="file"
        accept=".obj,.ply,.stl,.glb,.vtp"
        @change=${(event: Event) => void send((event.target as HTMLInputElement).files?.[0])}
      />
      ${icon("upload")}${t("scan.choose")}
    </label>
    <span class="hint">${t("scan.drop")}</span>
  </div>`;

  const height = (event: Event) => {
    event.preventDefault();
    const text = String(new FormData(event.target as HTMLFormElement).get("height"));
    const wanted = Number.parseFloat(text.replace(",", ".")) * metresOf(settings.units);
    if (wanted >= 1 && wanted <= 2.5) void answer({ height: wanted });
  };
  const question = (one: Question): TemplateResult => {
    const yes = () => void answer({ confirmed: [one.id] });
    const text = one.id === "height" && one.value ? t("scan.question.height", { height: length(one.value, settings.units) }) : one.text;
    return html`<li class="question">
      <p>${text}</p>
      <div class="row">
        <button class="button" @click=${yes}>${t("scan.yes")}</button>
        ${one.id === "height"
          ? html`<button class="button" aria-expanded=${asksHeight ? "true" : "false"} @click=${() => ((asksHeight = true), update())}>
              ${t("scan.no")}
            </button>`
          : nothing}
      </div>
      ${one.id === "height" && asksHeight
        ? html`<form class="row" @submit=${height}>
            <label class="field">
              <span>${t("scan.height")} (${settings.units})</span>
              <input class="input" name="height" inputmode="decimal" .value=${figure(one.value ?? 1.7, settings.units)} />
            </label>
            <button class="button main">${icon("check")}${t("scan.yes")}</button>
          </form>`
        : nothing}
    </li>`;
  };
  const result = (body: Body): TemplateResult => {
    const open = body.questions.filter((one) => !one.answered);
    const steps = [t("scan.step.read"), t("scan.step.orient"), t("scan.step.measure"), t("scan.step.rig"), t("scan.step.check")];
    return html`<ol class="steps">${steps.map((step) => html`<li>${icon("check")}${step}</li>`)}</ol>
      ${open.length ? html`<ul class="questions">${open.map(question)}</ul>` : html`<p>${t("scan.done")}</p>`}
      ${body.notes.length ? html`<ul class="notes">${body.notes.map((line) => html`<li>${line}</li>`)}</ul>` : nothing}
      <div class="row">
        <button class="button main" @click=${() => void done(body)}>${icon("check")}${t("body.save")}</button>
        <button class="button" @click=${() => ((found = undefined), update())}>${t("scan.other")}</button>
      </div>`;
  };

  return {
    view: () => html`<section class="scan">
      <h2>${t("scan.title")}</h2>
      ${error ? failed(error, () => ((error = undefined), update())) : nothing}
      ${reading
        ? html`<p class="busy" role="status"><span class="thread" aria-hidden="true"></span>${t("scan.reading")}</p>`
        : found
          ? result(found)
          : begin()}
    </section>`,
  };
}
