/** What is shown: maps of the fit with their legend, wireframe, a comparison, graphs. */
import { html, nothing, svg, type TemplateResult } from "lit-html";
import { act, choiceRow, row, section, switchRow } from "../parts/fields";
import { said, unitOf } from "../quantity";
import { history, type GraphName } from "../scene/history";
import { attempt, link } from "../scene/link";
import { FARTHER } from "../scene/side";
import { view } from "../scene/view";
import { state } from "../state";
import { t, word } from "../texts";

export const seen = { drawing: "look" as "look" | "wire" | "normals", comparing: false, other: { solver: "", collider: "", fabric: "" } };

export function showOverlay(name: string): void {
  link.send({ type: "show", overlay: name as "none" });
}

export function draw(way: typeof seen.drawing): void {
  seen.drawing = way;
  view.draw(way);
  state.update();
}

export function seePanel(): TemplateResult {
  const { hello, status, project } = state;
  if (!hello || !project) return html`<div class="bones"></div>`;
  const solver = seen.other.solver || String(project.method["solver"]), collider = seen.other.collider || String(project.method["collider"]);
  return html`
    ${section(t("see.map"), html`
      ${choiceRow(t("see.map"), hello.overlays.map((name) => [name, word(`overlay.${name}`, name)] as const), status?.overlay || "none", showOverlay, t("see.map.tip"))}
      ${legend()}`)}
    ${section(t("see.drawing"), html`${choiceRow(t("see.drawing"), [["look", t("see.look")], ["wire", t("see.wire")], ["normals", t("see.normals")]], seen.drawing, (way) => draw(way as "look"))}
      ${switchRow(t("see.lengths"), state.wishes.lengths, (on) => state.wish({ lengths: on }), t("see.lengths.tip"))}
      ${switchRow(t("see.snap"), state.wishes.snap, (on) => state.wish({ snap: on }), t("see.snap.tip"))}`)}
    ${section(t("compare.title"), html`
      <p class="hint">${t("compare.hint")}</p>
      ${choiceRow(t("method.solver"), hello.solvers.map((one) => [one.name, word(`method.${one.name}`, one.name)] as const), solver, (name) => other({ solver: name }))}
      ${choiceRow(t("method.collider"), hello.colliders.map((one) => [one.name, word(`method.${one.name}`, one.name)] as const), collider, (name) => other({ collider: name }))}
      ${choiceRow(t("cloth.fabric"), [["", t("compare.same")], ...hello.fabrics.map((one) => [one.name, word(`fabric.${one.name}`, one.name)] as const)], seen.other.fabric, (name) => other({ fabric: name }))}
      ${act(seen.comparing ? t("compare.end") : t("compare.begin"), "compare", toggleCompare, { main: !seen.comparing })}`, seen.comparing)}
    ${section(t("graphs.title"), html`${graph("energy", "J")}${graph("stretch", "%", 100)}${graph("frame", "ms")}`)}`;
}

function other(change: Partial<typeof seen.other>): void {
  Object.assign(seen.other, change);
  if (seen.comparing) compare();
  state.update();
}

const compare = (): void => void attempt({ type: "compare", on: true, solver: seen.other.solver || String(state.project?.method["solver"]), collider: seen.other.collider || String(state.project?.method["collider"]), fabric: seen.other.fabric });

export function toggleCompare(): void {
  seen.comparing = !seen.comparing;
  state.update();
  if (seen.comparing) compare();
  else link.send({ type: "compare", on: false });
}

/** Five words under the colours, or figures where the map has a unit. */
export function legend(): TemplateResult | typeof nothing {
  const { status } = state;
  if (!status || !status.overlay || status.overlay === "none") return nothing;
  const turned = FARTHER.has(status.overlay), unit = unitOf(status.unit.split(" ")[0]!, state.unit);
  const words = [0, 0.25, 0.5, 0.75, 1].map((share) => said(status.low + (turned ? 1 - share : share) * (status.high - status.low), unit));
  return html`<figure class="legend"><figcaption>${word(`overlay.${status.overlay}`, status.overlay)}</figcaption>
    <ol>${words.map((text, i) => html`<li class="stop-${i}"><span aria-hidden="true"></span>${text}</li>`)}</ol></figure>`;
}

function graph(name: GraphName, unit: string, scale = 1): TemplateResult {
  const values = history[name], most = Math.max(...values, 1e-9), last = values.at(-1) ?? 0;
  const points = values.map((v, i) => `${((200 * i) / 119).toFixed(1)},${(46 - (42 * v) / most).toFixed(1)}`).join(" ");
  return html`<div class="graph">
    ${row(t(`graph.${name}`), html`<span class="figure">${Number((last * scale).toPrecision(3))}\u202f${unit}</span>`)}
    <svg viewBox="0 0 200 48" preserveAspectRatio="none" role="img" aria-label=${t(`graph.${name}`)}>${svg`<polyline points=${points}></polyline>`}</svg>
  </div>`;
}
