/** Starts the studio: theme, commands, the line to the studio's process, and the window. */
import "@fontsource-variable/bricolage-grotesque/wght.css";
import "@fontsource-variable/inter/wght.css";
import "../../shared/tokens.css";
import "../../shared/base.css";
import "./styles/studio.css";
import { html, render } from "lit-html";
import { offerMore, startCommands } from "./all-commands";
import { run, startKeys } from "./commands";
import { frame } from "./frame";
import { fileWritten, scriptCame } from "./panels/dialogs";
import { offerTour } from "./panels/tour";
import "./parts/number-field";
import { say } from "./parts/say";
import { startTips } from "./parts/tip";
import { startDrops } from "./project";
import { history } from "./scene/history";
import { link } from "./scene/link";
import { view } from "./scene/view";
import { table } from "./pattern/table";
import { applyTheme, state } from "./state";
import { t } from "./texts";

const root = document.getElementById("app") as HTMLElement;
render(html`<div id="window"></div><div id="said" aria-live="polite"></div><div id="menu"></div><div id="tour"></div>
  <dialog id="palette" class="palette" aria-label=${t("palette.label")}></dialog><dialog id="dialog" class="dialog"></dialog>
  <div class="drop-hint" aria-hidden="true">${t("drop.hint")}</div>`, root);
const place = document.getElementById("window") as HTMLElement;

applyTheme(state.wishes.theme);
startCommands();
startTips();
startKeys();
startDrops();
let theme = "", pieces = 0;
state.onChange(() => {
  render(frame(), place);
  view.light();
  document.title = state.project?.name ? `${state.project.name} · ${t("title")}` : t("title");
  const now = getComputedStyle(document.documentElement).getPropertyValue("--studio-near");
  if (now !== theme) view.paint();
  theme = now;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.update());

link.onBinary = (data) => view.take(data);
link.onMessage = (message) => {
  if (message.type === "hello") {
    offerMore();
    if (message.recovered) say(t("recovered"));
    offerTour();
  } else if (message.type === "status") history.note(message);
  else if (message.type === "pieces") {
    // the first pieces on the table are shown whole
    if (!pieces && state.pieces.size) table.fit();
    pieces = state.pieces.size;
  } else if (message.type === "file_written") fileWritten(message.name, message.kind);
  else if (message.type === "proposal") table.fit([...state.allPieces(), ...message.pieces]);
  else if (message.type === "script") queueMicrotask(scriptCame);
};
// for people who script the page from its console, and for its tests
Object.assign(globalThis, { studio: { state, table, view, link, run } });
state.update();
link.open();
