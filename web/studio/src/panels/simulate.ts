/** How the cloth is computed and what acts on it: scenes, methods, air, pins. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Panel } from "../../../shared/studio-messages";
import { run } from "../commands";
import { act, choiceRow, controlRow, numberRow, row, section, sliderRow, switchRow, type Setting } from "../parts/fields";
import { method } from "../project";
import { attempt, edit, link } from "../scene/link";
import { view } from "../scene/view";
import { state } from "../state";
import { t, word } from "../texts";

type Triple = [number, number, number];
export const GRAVITY = 9.81;

export function simulatePanel(): TemplateResult {
  const { project, hello, status } = state;
  if (!project || !hello) return html`<div class="bones"></div>`;
  const now = project.method, settings = (now["settings"] ?? {}) as Record<string, Setting>, mesh = project.mesh;
  const solver = hello.solvers.find((one) => one.name === now["solver"]), collider = hello.colliders.find((one) => one.name === now["collider"]);
  const gravity = -(air("gravity")[1] ?? -GRAVITY);
  return html`
    ${section(t("scene.title"), html`
      ${choiceRow(t("scene.title"), hello.scenes.map((name) => [name, word(`scene.${name}`, name)] as const), status?.scene ?? "outfit", openScene, t("scene.tip"))}
      <div class="acts">${act(t("scene.dress"), "seam", () => run("dress"), { main: !status?.sewn, key: "Ctrl+Enter" })} ${act(t("scene.reset"), "reset", () => run("reset"))}</div>`)}
    ${section(t("air.title"), html`
      ${sliderRow(t("air.wind"), Math.hypot(...air("wind")), { unit: { sign: "m/s", size: 1, digits: 1 }, min: 0, max: 20, help: t("air.wind.tip"), name: "wind", change: (v, done) => done && edit({ type: "set_air", wind: blown(v), gravity: air("gravity") }) })}
      ${sliderRow(t("air.gravity"), gravity, { unit: { sign: "m/s²", size: 1, digits: 2 }, min: 0, max: 20, help: t("air.gravity.tip"), change: (v, done) => done && edit({ type: "set_air", wind: air("wind"), gravity: [0, -v, 0] }) })}
      ${view.pinned.size || status?.pinned ? row(t("pins.count", { count: Math.max(view.pinned.size, status?.pinned ?? 0) }), act(t("pins.free"), "unlink", () => run("unpin"))) : nothing}`)}
    ${section(t("method.title"), html`
      ${switchRow(t("inpage.swap"), view.own !== null, () => view.swapEngine(), t("inpage.tip"))}
      ${choiceRow(t("method.solver"), hello.solvers.map(named), String(now["solver"]), (name) => void attempt(method({ solver: name, settings: {} })), solver?.help)}
      ${choiceRow(t("method.collider"), hello.colliders.map(named), String(now["collider"]), (name) => void attempt(method({ collider: name, settings: {} })), collider?.help)}
      ${numberRow(t("method.edge"), Number(mesh["edge_length"] ?? 0.02), { unit: state.unit, min: 0.003, max: 0.2, help: t("method.edge.tip"), change: (v, done) => done && edit({ type: "set_mesh", edge_length: v, mesh: mesh["mesh"] as "triangles" }) })}
      ${choiceRow(t("method.mesh"), [["triangles", t("method.triangles")], ["grid", t("method.grid")]], String(mesh["mesh"]), (one) => edit({ type: "set_mesh", edge_length: Number(mesh["edge_length"]), mesh: one as "grid" }))}`)}
    ${settingsSection(solver, "", settings)} ${settingsSection(collider, "collider.", settings)}`;
}

const named = (one: Panel): readonly [string, string] => [one.name, word(`method.${one.name}`, one.name)];

export const air = (name: "wind" | "gravity"): Triple => (state.project?.air[name] as Triple | undefined) ?? (name === "wind" ? [0, 0, 0] : [0, -GRAVITY, 0]);

/** The wind with another strength; from the front where there was none. */
export function blown(strength: number): Triple {
  const now = air("wind"), size = Math.hypot(...now);
  const way: Triple = size > 1e-6 ? [now[0] / size, now[1] / size, now[2] / size] : [0.35, 0, -0.94];
  return [strength * way[0], strength * way[1], strength * way[2]];
}

export function openScene(name: string): void {
  for (const side of view.sides) side?.reframe();
  void attempt({ type: "scene", name: name as "outfit" }).then((done) => {
    if (done && name !== "outfit") link.send({ type: "play", on: true });
  });
}

function settingsSection(panel: Panel | undefined, prefix: string, settings: Record<string, Setting>): TemplateResult | typeof nothing {
  if (!panel?.controls.length) return nothing;
  const other = prefix ? state.hello?.solvers.find((one) => one.name === state.project?.method["solver"]) : undefined;
  const key = (name: string): string => (other?.controls.some((one) => one.name === name) ? `${prefix}${name}` : name);
  return section(t("method.settings", { name: named(panel)[1] }), html`
    <p class="hint">${panel.help}</p>
    ${panel.controls.map((control) => controlRow(control, settings[key(control.name)], (value, done) => done && edit(method({ settings: { ...settings, [key(control.name)]: value } }))))}
    ${Object.keys(settings).length ? act(t("method.usual"), "reset", () => edit(method({ settings: {} }))) : nothing}`, false);
}
