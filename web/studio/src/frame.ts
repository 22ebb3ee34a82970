/** The window: tools, 3D, 2D, properties, time, figures; panels are docked and their borders dragged. */
import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { ref } from "lit-html/directives/ref.js";
import { vars } from "../../shop/src/parts/vars";
import { isDark, TOOL_ICONS } from "./all-commands";
import { can, command, nameOf, run } from "./commands";
import { clothPanel } from "./panels/cloth";
import { patternPanel, PLACES } from "./panels/pattern";
import { personPanel } from "./panels/person";
import { legend, seePanel, seen } from "./panels/see";
import { simulatePanel } from "./panels/simulate";
import { statusLine, timeline } from "./panels/timeline";
import { touring } from "./panels/tour";
import { icon, type IconName } from "./parts/icon";
import { openMenu } from "./parts/menu";
import { split } from "./parts/split";
import { windDial } from "./parts/wind-dial";
import { said } from "./quantity";
import { placeOf } from "./pattern/table-tools";
import { table } from "./pattern/table";
import { tableView } from "./pattern/table-view";
import { attempt } from "./scene/link";
import { noPicture, tapeLength, view } from "./scene/view";
import { dropping, state, type Tab, TABS, TOOLS } from "./state";
import { t, word } from "./texts";

const PANELS: Record<Tab, () => TemplateResult> = { person: personPanel, pattern: patternPanel, cloth: clothPanel, simulate: simulatePanel, see: seePanel };
const TAB_ICONS: Record<Tab, IconName> = { person: "person", pattern: "piece", cloth: "cloth", simulate: "settings", see: "eye" };

export function frame(): TemplateResult {
  const { wishes } = state;
  return html`<div class="studio shown-${state.shown} ${seen.comparing ? "comparing" : ""}" ${vars({ split: `${wishes.split}fr`, rest: `${1 - wishes.split}fr`, side: `${wishes.side}px`, foot: `${wishes.foot}px` })}>
    ${top()} ${tools()}
    <main class="middle">
      ${pane3d()}
      ${split({ label: t("frame.split"), axis: "x", value: wishes.split, min: 0.15, max: 0.85, usual: 0.5, scale: () => 1 / Math.max(document.querySelector(".middle")?.clientWidth ?? 1, 1), change: (value) => state.wish({ split: value }) })}
      ${pane2d()}
    </main>
    ${split({ label: t("frame.side"), axis: "x", value: wishes.side, min: 240, max: 560, usual: 320, scale: () => -1, change: (side) => state.wish({ side }) })}
    ${side()}
    <section class="timeline" aria-label=${t("time.label")}>${timeline()}</section>
    <footer class="status" tabindex="0" aria-label=${t("status.label")}>${statusLine()}</footer>
    ${switcher()}
  </div>`;
}

function top(): TemplateResult {
  const name = state.project?.name ?? "";
  const rename = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    if (text) void attempt({ type: "set_name", name: text });
  };
  return html`<header class="top">
    <h1 class="name">${t("name")}</h1>
    <div class="group">${["file.open", "file.save", "file.export", "script"].map((id) => topButton(id))}</div>
    <div class="group">${topButton("undo", state.project?.undo)} ${topButton("redo", state.project?.redo)}</div>
    <input class="project" aria-label=${t("project.name")} data-tip=${t("project.name")} .value=${name} @change=${rename} />
    <button class="find" data-command="palette" data-tip=${t("palette.open")} data-key="Ctrl+K" aria-label=${t("palette.open")} @click=${() => run("palette")}>${icon("search")}<span>${t("palette.short")}</span><kbd>Ctrl K</kbd></button>
    <div class="group end">
      <button class="tool" data-command="theme" aria-label=${t("theme.swap")} data-tip=${t("theme.swap")} @click=${() => run("theme")}>${icon(isDark() ? "light" : "dark")}</button>
      <button class="tool" data-command="help" aria-label=${t("help.title")} data-tip=${t("help.title")} data-key="?" @click=${() => run("help")}>${icon("help")}</button>
    </div>
  </header>`;
}

function topButton(id: string, more = ""): TemplateResult {
  const one = command(id), tip = more ? `${nameOf(one)}: ${more}` : nameOf(one);
  return html`<button class="tool" data-command=${id} aria-label=${nameOf(one)} data-tip=${tip} data-key=${one.key ?? nothing} ?disabled=${!can(one)} @click=${() => run(id)}>${icon(one.icon!)}<span class="word">${nameOf(one)}</span></button>`;
}

function tools(): TemplateResult {
  return html`<div class="tools" role="toolbar" aria-label=${t("tools.label")} aria-orientation="vertical">
    ${TOOLS.map((tool) => {
      const one = command(`tool.${tool}`);
      return html`<button class="tool" data-command=${one.id} aria-label=${nameOf(one)} aria-pressed=${state.tool === tool} data-tip=${`${nameOf(one)}: ${t(`tool.${tool}.tip`)}`} data-key=${one.key ?? nothing} @click=${one.run}>${icon(TOOL_ICONS[tool])}</button>`;
    })}
  </div>`;
}

// ---------------------------------------------------------------------------- views

const attached = [(element?: Element) => view.attach(element, 0), (element?: Element) => view.attach(element, 1)];

function pane3d(): TemplateResult {
  const tape = tapeLength(), empty = state.project && !state.project.garments.length && (state.status?.scene ?? "outfit") === "outfit" && !touring();
  return html`<section class="pane pane-3d" aria-label=${t("pane.3d")}>
    ${guard([view.none, seen.comparing], () => (view.none ? html`<p class="empty">${noPicture()}</p>` : html`<div class="stages"><div class="stage" ${ref(attached[0])}></div>${seen.comparing ? html`<div class="stage" ${ref(attached[1])}></div>` : nothing}</div>`))}
    <div class="over top-left"><span class="chip">${state.status?.scene && state.status.scene !== "outfit" ? t("pane.scene") : t("pane.3d")}</span>
      ${seen.comparing ? html`<span class="chip">${String(state.project?.method["solver"])} | ${seen.other.solver || t("compare.same")}</span>` : nothing}
      ${tape !== null ? html`<span class="chip" data-figure="tape">${said(tape, state.unit)}</span>` : nothing}
      ${view.cut.length ? html`<span class="chip">${t("cut.points", { count: view.cut.length })}</span>` : nothing}</div>
    <div class="over top-right">${["view.front", "view.side", "view.back", "view.whole"].map((id) => html`<button class="small" data-command=${id} data-tip=${nameOf(command(id))} data-key=${command(id).key ?? nothing} @click=${() => run(id)}>${id === "view.whole" ? icon("whole") : t(`${id}.short` as "view.front.short")}<span class="unseen">${nameOf(command(id))}</span></button>`)}</div>
    <div class="over bottom-left">${legend()}</div>
    <div class="over bottom-right">${windDial()}</div>
    ${empty ? emptyStage() : nothing}
    ${dropping.piece ? placesView() : nothing}
  </section>`;
}

function emptyStage(): TemplateResult {
  const drafts = state.hello?.drafts ?? [];
  return html`<div class="begin"><h2>${t("begin.title")}</h2><p>${t("begin.text")}</p>
    <div class="acts">${drafts.slice(0, 6).map((draft) => html`<button class="small" @click=${() => void attempt({ type: "add_draft", draft: draft.name })}>${icon("cloth")}${word(`draft.${draft.name}`, draft.name)}</button>`)}</div>
    <div class="acts"><button class="small main" @click=${() => run("file.open")}>${icon("folder")}${t("begin.open")}</button>
      ${(state.hello?.scenes ?? []).filter((name) => name !== "outfit").slice(0, 1).map((name) => html`<button class="small" @click=${() => run(`scene.${name}`)}>${icon("grab")}${t("begin.play")}</button>`)}</div></div>`;
}

/** Where a piece can be let fall while it is dragged over the body. */
function placesView(): TemplateResult {
  return html`<div class="places" aria-hidden="true">${PLACES.map((name) => html`<span class="place place-${name} ${dropping.over === name ? "over" : ""}" data-place=${name}>${t(`place.${name}`)}</span>`)}</div>`;
}

function pane2d(): TemplateResult {
  const pieces = state.allPieces(), menu = (event: MouseEvent): void => {
    const under = table.under(placeOf(event, event.currentTarget as Element));
    if (under.piece) {
      const { garment, piece } = under.piece, seam = under.edge ? (state.piece(garment, piece)?.edges[under.edge.spot.edge]?.seams[0] ?? null) : null;
      state.select(seam !== null ? { garment, seam } : { garment, pieces: [piece], edges: under.edge ? [under.edge.spot.edge] : [], corners: under.corner !== null ? [under.corner] : [] });
    }
    openMenu(event, ["seam.reverse", "seam.unsew", null, "piece.mirror", "piece.copy", "piece.twin", "piece.unfold", "piece.split", "piece.delete", null, "piece.add", "seam.propose", "view.whole"]);
  };
  return html`<section class="pane pane-2d" aria-label=${t("pane.2d")}>
    ${tableView(menu)}
    <div class="over top-left"><span class="chip">${t("pane.2d")}</span>${state.sewing ? html`<span class="chip hot">${t(state.sewing.side === "a" ? "sewing.hint.a" : "sewing.hint.b")}</span>` : nothing}</div>
    ${pieces.length ? nothing : html`<p class="empty">${t("table.empty")}</p>`}
  </section>`;
}

// ---------------------------------------------------------------------------- properties

function side(): TemplateResult {
  const key = (event: KeyboardEvent): void => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    state.tab = TABS[(TABS.indexOf(state.tab) + way + TABS.length) % TABS.length]!;
    state.update();
    requestAnimationFrame(() => document.getElementById(`tab-${state.tab}`)?.focus());
  };
  const choose = (tab: Tab) => (): void => {
    state.tab = tab;
    state.update();
  };
  return html`<aside class="side" aria-label=${t("side.label")}>
    <div class="tabs" role="tablist" aria-label=${t("side.label")} @keydown=${key}>
      ${TABS.map((tab) => html`<button role="tab" id="tab-${tab}" aria-selected=${state.tab === tab} aria-controls="panel" tabindex=${state.tab === tab ? 0 : -1} @click=${choose(tab)}>${icon(TAB_ICONS[tab])}<span>${t(`tab.${tab}`)}</span></button>`)}
    </div>
    <div id="panel" class="panel" role="tabpanel" aria-labelledby="tab-${state.tab}" tabindex="0">${(state.project?.warnings ?? []).map((text) => html`<p class="warning">${text}</p>`)}${PANELS[state.tab]()}</div>
  </aside>`;
}

/** What a small screen shows. */
function switcher(): TemplateResult {
  const ways = [["3d", "pane.3d", "box"], ["2d", "pane.2d", "piece"], ["side", "side.label", "settings"]] as const;
  return html`<nav class="switcher" aria-label=${t("switcher.label")}>${ways.map(([shown, text, sign]) => html`<button aria-pressed=${state.shown === shown} @click=${() => { state.shown = shown; state.update(); }}>${icon(sign)}<span>${t(text)}</span></button>`)}</nav>`;
}
