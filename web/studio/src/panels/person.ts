/** The person: who, how large, how she moves. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Control, ToStudio } from "../../../shared/studio-messages";
import { act, choiceRow, controlRow, numberRow, row, section, sliderRow, switchRow, type Setting } from "../parts/fields";
import { chooseFiles, following, motion, person } from "../project";
import { UNITS, unitOf } from "../quantity";
import { attempt, edit } from "../scene/link";
import { state } from "../state";
import { t, word } from "../texts";

/** measures as they are being dragged */
const wanted: Record<string, number> = {};
const shaping = following(wanted, (group) => ({ ...byMeasures(wanted), group }));

/** what stays as it is when the first measure is changed; the rest goes along with what is likely */
const KEPT = ["height", "bust", "waist", "hips"];

/** The person with other measures, whoever she was before. */
function byMeasures(change: Record<string, number>): ToStudio {
  const who = state.project?.person ?? {}, now = state.project?.measures ?? {}, given = (who["measures"] ?? {}) as Record<string, number>;
  const kept = Object.fromEntries(KEPT.flatMap((name) => (now[name] === undefined ? [] : [[name, now[name]]])));
  const sex = who["sex"] || (who["named"] === "man" ? "male" : "female");
  return person({ named: "", file: "", sex: sex as "female", measures: { ...(Object.keys(given).length ? given : kept), ...change } });
}

export function personPanel(): TemplateResult {
  const { project, hello } = state;
  if (!project || !hello) return html`<div class="bones"></div>`;
  const who = project.person, named = String(who["named"] ?? ""), file = String(who["file"] ?? "");
  const chosen = file ? "file" : Object.keys((who["measures"] as object | undefined) ?? {}).length || !named ? "measures" : named;
  const choose = (value: string): void => {
    for (const name of Object.keys(wanted)) delete wanted[name];
    if (value === "file") return chooseFiles();
    void attempt(value === "measures" ? byMeasures({}) : { type: "set_person", named: value });
  };
  const given = Object.keys((who["measures"] as Record<string, number> | undefined) ?? {});
  return html`
    ${section(t("person.who"), html`
      ${choiceRow(t("person.who"), [["woman", t("person.woman")], ["man", t("person.man")], ["measures", t("person.own")], ["file", file || t("person.file")]], chosen, choose)}
      ${act(t("person.load"), "upload", chooseFiles, { tip: t("person.load.tip") })}
      ${given.length ? act(t("person.forget"), "reset", () => { for (const name of Object.keys(wanted)) delete wanted[name]; edit({ type: "set_person", named: who["sex"] === "male" ? "man" : "woman" }); }) : nothing}`)}
    ${file ? nothing : section(t("person.measures"), html`${hello.measures.map((control) => measure(control, project.measures))}`)}
    ${motionSection()}`;
}

function measure(control: Control, now: Readonly<Record<string, number>>): TemplateResult {
  const value = wanted[control.name] ?? now[control.name] ?? Number(control.default);
  const change = (v: number): void => {
    wanted[control.name] = v;
    shaping.change();
    state.update();
  };
  const unit = unitOf(control.unit, state.unit);
  return sliderRow(word(`measure.${control.name}`, control.name), value, { unit, help: control.help, min: control.low ?? value * 0.7, max: control.high ?? value * 1.4, name: control.name, change });
}

function motionSection(): TemplateResult {
  const { project, hello } = state, now = project!.motion, named = String(now["file"] || now["named"] || "");
  const own = hello!.motions.find((one) => one.name === named), settings = (now["settings"] ?? {}) as Record<string, Setting>;
  const value = (name: string, other: number): number => (typeof now[name] === "number" ? (now[name] as number) : other);
  const set = (change: Parameters<typeof motion>[0]) => edit(motion(change));
  const names = hello!.motions.map((one) => [one.name, word(`motion.${one.name}`, one.name)] as const);
  return section(t("motion.title"), html`
    ${choiceRow(t("motion.which"), [...names, ...(now["file"] ? [[named, named] as const] : [])], named, (name) => void attempt(motion({ named: name, file: "", settings: {} })), own?.help)}
    ${act(t("motion.load"), "upload", chooseFiles, { tip: t("motion.load.tip") })}
    ${sliderRow(t("motion.speed"), value("speed", 1), { unit: { sign: "×", size: 1, digits: 2 }, min: 0.05, max: 4, help: t("motion.speed.tip"), change: (v, done) => done && set({ speed: v }) })}
    ${sliderRow(t("motion.amplitude"), value("amplitude", 1), { unit: UNITS.percent, min: 0, max: 2, help: t("motion.amplitude.tip"), change: (v, done) => done && set({ amplitude: v }) })}
    ${switchRow(t("motion.loop"), now["loop"] !== false, (on) => set({ loop: on }))}
    ${numberRow(t("motion.start"), value("start", 0), { unit: SECONDS, min: 0, max: 3600, change: (v, done) => done && set({ start: v }) })}
    ${numberRow(t("motion.end"), value("end", value("start", 0) + project!.duration), { unit: SECONDS, min: 0, max: 3600, change: (v, done) => done && set({ end: v }) })}
    ${own?.controls.map((control) => controlRow(control, settings[control.name], (v, done) => done && typeof v === "number" && set({ settings: { ...settings, [control.name]: v } as Record<string, number> })))}
    ${row(t("motion.long"), html`<span class="figure">${project!.duration.toFixed(2)}\u202fs</span>`)}`, false);
}

const SECONDS = { sign: "s", size: 1, digits: 2 };
