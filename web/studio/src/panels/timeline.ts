/** Time: play, pause, step, scrub, slow motion, recording; and the line of figures below it. */
import { html, nothing, type TemplateResult } from "lit-html";
import { command, can, nameOf, run } from "../commands";
import { icon, type IconName } from "../parts/icon";
import { fetchFile } from "../project";
import { link } from "../scene/link";
import { view } from "../scene/view";
import { state } from "../state";
import { t, word } from "../texts";

let scrubbing: number | null = null;

export function timeline(): TemplateResult {
  const { status, project, recording } = state, long = recording ? recording.frames / Math.max(recording.fps, 1) : (project?.duration ?? 0);
  const at = scrubbing ?? (recording ? recording.frame / Math.max(recording.fps, 1) : (status?.motion_time ?? 0));
  const seek = (event: Event): void => {
    scrubbing = (event.target as HTMLInputElement).valueAsNumber;
    if (recording) link.send({ type: "replay", file: recording.file, frame: Math.round(scrubbing * recording.fps) });
    else link.send({ type: "seek", time: scrubbing });
    state.update();
  };
  const done = (): void => {
    scrubbing = null;
  };
  return html`<div class="transport" role="toolbar" aria-label=${t("time.label")}>
      ${button("reset", "back")} ${button("play", view.engine(0).playing ? "pause" : "play", view.engine(0).playing ? t("time.pause") : undefined)} ${button("step", "step")}
      ${button("move", "walk", undefined, status?.moving)} ${button("record", status?.recording ? "stop" : "record", status?.recording ? t("time.record.end") : undefined, Boolean(status?.recording))}
    </div>
    <div class="scrub">
      <input type="range" name="time" aria-label=${t("time.scrub")} aria-valuetext=${`${at.toFixed(2)} s`} min="0" max=${Math.max(long, 0.01)} step="0.01" .value=${String(at)} @input=${seek} @change=${done} ?disabled=${long <= 0} />
      <span class="figure">${at.toFixed(2)} / ${long.toFixed(2)}\u202fs</span>
      ${recording ? html`<span class="recorded">${t("time.replaying", { name: recording.file })}<button class="small" @click=${() => link.send({ type: "replay", file: "" })}>${t("time.live")}</button></span>` : nothing}
    </div>
    <div class="pace">
      <label data-tip=${t("time.pace.tip")}>${t("time.pace")}
        <select class="input" aria-label=${t("time.pace")} @change=${(e: Event) => link.send({ type: "pace", factor: Number((e.target as HTMLSelectElement).value) })}>
          ${[1, 0.5, 0.25, 0.1].map((factor) => html`<option value=${factor} .selected=${Math.abs((status?.pace ?? 1) - factor) < 0.01}>${factor === 1 ? t("time.pace.life") : `1/${1 / factor}`}</option>`)}
        </select></label>
      ${recordings()}
    </div>`;
}

function recordings(): TemplateResult | typeof nothing {
  const names = state.files.filter((name) => name.endsWith(".toile"));
  if (!names.length) return nothing;
  const play = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    if (select.value) link.send({ type: "replay", file: select.value });
    select.value = "";
  };
  return html`<label data-tip=${t("time.recordings.tip")}>${t("time.recordings")}
    <select class="input" aria-label=${t("time.recordings")} @change=${play}><option value="">${names.length}</option>${names.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`;
}

function button(id: string, sign: IconName, label?: string, on?: boolean): TemplateResult {
  const one = command(id), name = label ?? nameOf(one);
  return html`<button class="tool" data-command=${id} aria-label=${name} aria-pressed=${on === undefined ? nothing : on} data-tip=${name} data-key=${one.key ?? nothing} ?disabled=${!can(one)} @click=${() => run(id)}>${icon(sign)}</button>`;
}

export function statusLine(): TemplateResult {
  const { status, working, line } = state, side = view.sides[0];
  const audit = !status || !status.sewn ? "none" : status.left > 0 ? "wrong" : "good";
  const figure = (text: string, tip: string, name: string) => html`<span class="figure" data-tip=${tip} data-figure=${name}>${text}</span>`;
  return html`<span class="lamp ${line}" role="status" data-tip=${t(`line.${line}`)}>${t(`line.${line}`)}</span>
    ${status ? html`
      ${figure(`${status.frame_ms.toFixed(1)}\u202fms`, t("status.frame"), "frame")}
      ${figure(`${Math.round(status.fps)} · ${Math.round(side?.fps ?? 0)}\u202ffps`, t("status.fps"), "fps")}
      ${figure(t("status.vertices", { count: status.vertices.toLocaleString("en") }), t("status.vertices.tip"), "vertices")}
      ${figure(t("status.contacts", { count: status.contacts.toLocaleString("en") }), t("status.contacts.tip"), "contacts")}
      <span class="lamp audit ${audit}" data-tip=${t(`audit.${audit}.tip`)}>${audit === "wrong" ? t("audit.wrong", { count: status.left }) : t(`audit.${audit}`)}</span>
      ${figure(t("status.latency", { ms: Math.round(link.latency) }), t("status.latency.tip"), "latency")}
      ${status.dropped ? figure(t("status.dropped", { count: status.dropped }), t("status.dropped.tip"), "dropped") : nothing}
      ${status.asleep ? html`<span class="hint">${t("status.asleep")}</span>` : nothing}
      ${status.recording ? html`<span class="lamp recording">${t("status.recording", { name: status.recording })}</span>` : nothing}` : nothing}
    ${working ? html`<span class="working" role="status"><span>${working.words || word(`working.${working.what}`, working.what)}</span>
      <progress max="1" .value=${working.fraction} aria-label=${working.what}></progress>
      <button class="small" data-command="cancel" @click=${() => run("cancel")}>${t("cancel")}</button></span>` : nothing}
    ${state.project && !state.project.saved ? html`<span class="hint unsaved">${t("status.unsaved")}</span>` : nothing}`;
}

export const fetchRecording = (name: string): void => void fetchFile(name);
