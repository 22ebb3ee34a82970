/** Adding a garment in three steps: its pattern, its seams, its cloth and price. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ColourWay, EdgeSpot, MerchantGarment, NewGarment, PatternDraft } from "../../../shared/api";
import { isOpen, merchant as client } from "../merchant";
import { icon } from "../parts/icon";
import { patternDrawing } from "../parts/pattern-drawing";
import { say } from "../parts/say";
import { failed, link } from "../parts/states";
import { go, type Page, type Update } from "../page";
import { askRailAgain } from "../shop";
import looks from "../../../../src/toile/render/looks.json";
import { t, word } from "../texts";

const STEPS = ["add.step.pattern", "add.step.seams", "add.step.details"] as const;
const UNITS = ["", "mm", "cm", "in", "m"];
const KINDS = ["dress", "skirt", "top", "shirt", "trousers", "coat"];
const SEXES = ["female", "male", "all"] as const;
const SIZES = ["34", "36", "38", "40", "42", "44", "46"];
const DRAPE_MS = 1500;

export function merchantAdd(_: Record<string, string>, update: Update): Page {
  let step = 0;
  let reading = false;
  let error: unknown;
  let draft: PatternDraft | undefined;
  const off = new Set<number>();
  let lit: number | undefined;
  const fabrics = Object.keys(looks).filter((name) => name !== "elastic").sort();
  let colours: ColourWay[] = [{ id: "natural", name: "Natural", colour: "#d8cfc0", print: "plain", repeat: 0.02 }];
  let saved: MerchantGarment | undefined;
  let saving = false;
  let left = false;
  if (!isOpen()) queueMicrotask(() => go("/merchant", { replace: true }));

  const read = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const file = form.get("file");
    if (!(file instanceof File) || !file.size) return;
    reading = true;
    error = undefined;
    update();
    try {
      draft = await client.uploadPattern(file, { file: file.name, units: String(form.get("units")) });
      off.clear();
      step = 1;
    } catch (why) {
      error = why;
    }
    reading = false;
    update();
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    if (!draft) return;
    const name = text("name");
    const wanted: NewGarment = {
      id: slug(name), name, text: text("text"), kind: text("kind"), fabric: text("fabric"), sex: text("sex") as NewGarment["sex"],
      price: Math.round(Number(text("price").replace(",", ".")) * 100), sizes: text("sizes").split(/[ ,;]+/).filter(Boolean), colours,
      pattern: draft.id, seams: draft.seams.filter((_seam, i) => !off.has(i)).map((seam) => ({ ...seam, confirmed: true })),
    };
    saving = true;
    error = undefined;
    update();
    try {
      saved = await client.addGarment(wanted);
      void watch();
      saved = await client.changeGarment(saved.garment.id, { published: true });
      askRailAgain();
      say(t("add.done", { name }));
    } catch (why) {
      error = why;
    }
    saving = false;
    update();
  };
  /** The drapes on the standard bodies come in one after the other. */
  const watch = async (): Promise<void> => {
    while (!left && saved && (!saved.drapes.length || saved.drapes.some((drape) => drape.state === "waiting"))) {
      await new Promise((later) => setTimeout(later, DRAPE_MS));
      saved = await client.getMerchantGarment(saved.garment.id).catch(() => saved);
      update();
    }
  };

  const first = (): TemplateResult => html`<form class="add-form" @submit=${(event: Event) => void read(event)}>
    <div class="field">
      <label for="pattern-file">${t("add.step.pattern")}</label>
      <input class="input" id="pattern-file" name="file" type="file" required accept=".dxf,.svg,.plt,.hpgl,.json,.txt" aria-describedby="pattern-note" />
      <span class="hint" id="pattern-note">${t("add.pattern.text")}</span>
    </div>
    <div class="field">
      <label for="pattern-units">${t("add.pattern.units")}</label>
      <select class="input" id="pattern-units" name="units">
        ${UNITS.map((unit) => html`<option value=${unit}>${unit || t("add.pattern.units.auto")}</option>`)}
      </select>
    </div>
    <button class="button main" ?disabled=${reading}>${reading ? t("add.pattern.reading") : t("add.pattern.next")}</button>
  </form>`;

  const spots = (side: EdgeSpot[]): string => [...new Set(side.map((spot) => spot.piece))].join(", ");
  const second = (held: PatternDraft): TemplateResult => {
    const wrong = new Set(held.pieces.map((piece) => piece.name).filter((name) => held.problems.some((line) => line.includes(name))));
    const suggested = held.seams.some((seam) => seam.reason);
    const count = held.seams.length - off.size;
    const toggle = (i: number): void => {
      if (!off.delete(i)) off.add(i);
      update();
    };
    const light = (i: number | undefined) => (): void => {
      lit = i;
      update();
    };
    return html`<p>${t("add.seams.text", { count })} ${suggested ? t("add.seams.none") : nothing}</p>
      ${held.problems.length ? html`<section class="problems" role="alert"><h2>${t("add.problems")}</h2><ul class="notes">${held.problems.map((line) => html`<li>${icon("alert")}${line}</li>`)}</ul></section>` : nothing}
      <div class="pattern-work">
        ${patternDrawing({ draft: held, off, lit, wrong, label: t("add.seams.text", { count }) })}
        <div class="add">
          <ul class="seam-list">
            ${held.seams.map(
              (seam, i) => html`<li @pointerenter=${light(i)} @pointerleave=${light(undefined)} @focusin=${light(i)} @focusout=${light(undefined)}>
                <span class=${off.has(i) ? "off" : ""}>${t("add.seams.seam", { n: i + 1, a: spots(seam.a), b: spots(seam.b) })}
                  ${seam.reason ? html`<span class="hint">${seam.reason}</span>` : nothing}</span>
                <button class="tool" type="button" title=${t(off.has(i) ? "add.seams.keep" : "add.seams.drop", { n: i + 1 })} aria-label=${t(off.has(i) ? "add.seams.keep" : "add.seams.drop", { n: i + 1 })} @click=${() => toggle(i)}>
                  ${icon(off.has(i) ? "undo" : "close")}
                </button>
              </li>`,
            )}
          </ul>
          ${held.notes.length ? html`<section><h3>${t("add.notes")}</h3><ul>${held.notes.map((line) => html`<li class="hint">${line}</li>`)}</ul></section>` : nothing}
          <div class="row">
            <button class="button main" @click=${() => ((step = 2), update())}>${icon("check")}${t("add.seams.confirm")}</button>
            <button class="button quiet" @click=${() => ((step = 0), update())}>${t("add.back")}</button>
          </div>
        </div>
      </div>`;
  };

  const colourLine = (way: ColourWay, i: number): TemplateResult => {
    const change = (part: Partial<ColourWay>): void => {
      colours = colours.map((one, k) => (k === i ? { ...one, ...part } : one));
      update();
    };
    const prints = ["plain", "stripes", "dots", "checks", "image"] as const;
    const upload = async (event: Event): Promise<void> => {
      const file = (event.target as HTMLInputElement).files?.[0];
      if (!file) return;
      try {
        change({ image_url: (await client.uploadTexture(file)).url });
      } catch (why) {
        error = why;
        update();
      }
    };
    const repeat = (event: Event): void => {
      const wide = Number((event.target as HTMLInputElement).value.replace(",", ".")) / 100;
      if (wide >= 0.002 && wide <= 1) change({ repeat: wide });
    };
    const image = (): TemplateResult => html`<div class="cloth-image">
      <div class="field">
        <label for="image-${i}">${t("add.colour.image")}</label>
        <input class="input" id="image-${i}" type="file" accept="image/png,image/jpeg,image/webp" ?required=${!way.image_url} @change=${(event: Event) => void upload(event)} />
      </div>
      <div class="field">
        <label for="repeat-${i}">${t("add.colour.repeat")}</label>
        <input class="input" id="repeat-${i}" inputmode="decimal" .value=${String(Math.round(1000 * (way.repeat ?? 0.02)) / 10)} @change=${repeat} />
      </div>
    </div>`;
    return html`<li class="colour-line">
      <input type="color" aria-label=${t("add.colour.value")} .value=${way.colour} @input=${(e: Event) => change({ colour: (e.target as HTMLInputElement).value })} />
      <div class="field">
        <label for="colour-${i}">${t("add.colour.name")}</label>
        <input class="input" id="colour-${i}" required maxlength="80" .value=${way.name} @change=${(e: Event) => change({ name: (e.target as HTMLInputElement).value, id: slug((e.target as HTMLInputElement).value) })} />
      </div>
      <div class="field">
        <label for="print-${i}">${t("garment.prints")}</label>
        <select class="input" id="print-${i}" @change=${(e: Event) => change({ print: (e.target as HTMLSelectElement).value as (typeof prints)[number], second: way.second ?? "#f2efe8" })}>
          ${prints.map((print) => html`<option value=${print} ?selected=${print === way.print}>${word(`print.${print}`, print)}</option>`)}
        </select>
      </div>
      <button type="button" class="tool" aria-label=${t("add.colour.remove", { name: way.name })} ?disabled=${colours.length < 2} @click=${() => ((colours = colours.filter((_one, k) => k !== i)), update())}>${icon("delete")}</button>
      ${way.print === "image" ? image() : nothing}
    </li>`;
  };
  const field = (name: string, label: string, input: TemplateResult): TemplateResult => html`<div class="field"><label for="add-${name}">${label}</label>${input}</div>`;
  const third = (held: PatternDraft): TemplateResult => html`<p>${t("add.details.text")}</p>
    <form class="add-form" @submit=${(event: Event) => void save(event)}>
      ${field("name", t("merchant.name"), html`<input class="input" id="add-name" name="name" required maxlength="80" .value=${held.file.replace(/\.\w+$/, "")} />`)}
      ${field("text", t("add.description"), html`<textarea class="input" id="add-text" name="text" rows="2" maxlength="500"></textarea>`)}
      ${field("kind", t("home.filter"), html`<select class="input" id="add-kind" name="kind">${KINDS.map((kind) => html`<option value=${kind}>${word(`kind.${kind}`, kind)}</option>`)}</select>`)}
      ${field("sex", t("add.sex"), html`<select class="input" id="add-sex" name="sex">${SEXES.map((sex) => html`<option value=${sex}>${t(`home.filter.${sex === "all" ? "any" : sex}`)}</option>`)}</select>`)}
      ${field("fabric", t("merchant.fabric"), html`<select class="input" id="add-fabric" name="fabric">${fabrics.map((fabric) => html`<option value=${fabric}>${fabric}</option>`)}</select>`)}
      ${field("price", `${t("merchant.price")} (EUR)`, html`<input class="input" id="add-price" name="price" inputmode="decimal" required pattern="[0-9]+([.,][0-9]{1,2})?" />`)}
      ${field("sizes", t("merchant.sizes"), html`<input class="input" id="add-sizes" name="sizes" required .value=${(held.sizes.length ? held.sizes : SIZES).join(" ")} />`)}
      <fieldset class="add">
        <legend class="label">${t("add.colours")}</legend>
        <ul class="add">${colours.map(colourLine)}</ul>
        <button type="button" class="button" @click=${() => ((colours = [...colours, { id: `colour-${colours.length + 1}`, name: `Colour ${colours.length + 1}`, colour: "#6d7350", print: "plain", repeat: 0.02 }]), update())}>${icon("plus")}${t("add.colour.add")}</button>
      </fieldset>
      <div class="row">
        <button class="button main" ?disabled=${saving}>${saving ? t("add.saving") : t("add.save")}</button>
        <button type="button" class="button quiet" @click=${() => ((step = 1), update())}>${t("add.back")}</button>
      </div>
    </form>`;
  const done = ({ garment, drapes }: MerchantGarment): TemplateResult => html`<section class="add" aria-live="polite">
    <h2>${t("add.done", { name: garment.name })}</h2>
    <p>${drapes.some((drape) => drape.state === "waiting") ? t("add.draping", { count: drapes.length }) : t("merchant.pictures")}</p>
    <span class="drapes">
      ${drapes.map((drape) => (drape.url ? html`<img src=${drape.url} alt="${garment.name}, ${drape.body}" width="96" height="128" />` : html`<span class="drape ${drape.state}" role="img" aria-label="${drape.body}: ${drape.state}"></span>`))}
    </span>
    <ul class="notes">${drapes.flatMap((drape) => drape.problems.map((line) => html`<li>${icon("alert")}${drape.body}: ${line}</li>`))}</ul>
    <div class="row">${link("/merchant", t("merchant.garments"))} ${link(`/garment/${garment.id}`, garment.name, "")}</div>
  </section>`;

  return {
    title: () => t("add.title"),
    leave: () => (left = true),
    view: () => html`<div class="page add">
      <header class="page-head"><h1>${t("add.title")}</h1></header>
      <ol class="add-steps" aria-label=${t("add.step", { n: step + 1 })}>
        ${STEPS.map((key, i) => html`<li aria-current=${i === step ? "step" : nothing}>${t(key)}</li>`)}
      </ol>
      ${error ? failed(error, () => ((error = undefined), update())) : nothing}
      ${saved ? done(saved) : step === 0 || !draft ? first() : step === 1 ? second(draft) : third(draft)}
    </div>`,
  };
}

function slug(name: string): string {
  return name.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "garment";
}
