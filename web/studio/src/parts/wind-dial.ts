/** The wind as an arrow seen from above: its tip is dragged, its length is the strength. */
import { html, svg, type TemplateResult } from "lit-html";
import { air } from "../panels/simulate";
import { link } from "../scene/link";
import { view } from "../scene/view";
import { state } from "../state";
import { t } from "../texts";

/** wind at the rim [m/s], and the rim [units of the drawing] */
const MOST = 12, RIM = 36;
let held: [number, number, number] | null = null;
let group = "", timer = 0;

/** The arrow stays where the hand left it until the project says so too. */
function release(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    held = null;
    group = "";
    state.update();
  }, 700);
}

function send(wind: [number, number, number]): void {
  clearTimeout(timer);
  held = wind;
  view.engine(0).wind(wind);
  link.send({ type: "set_air", wind, gravity: air("gravity"), group });
  state.update();
}

export function windDial(): TemplateResult {
  const wind = held ?? air("wind"), strength = Math.hypot(wind[0], wind[2]), x = (wind[0] / MOST) * RIM, y = (wind[2] / MOST) * RIM;
  const move = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const [u, v] = [((event.clientX - box.left) / box.width - 0.5) * 96, ((event.clientY - box.top) / box.height - 0.5) * 96];
    const far = Math.hypot(u, v), share = Math.min(far, RIM) / RIM;
    // near the middle the air is still
    send(far < 5 ? [0, 0, 0] : [(u / far) * share * MOST, 0, (v / far) * share * MOST]);
  };
  const down = (event: PointerEvent): void => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    group = `wind-${Date.now()}`;
    move(event);
  };
  const press = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    group ||= `wind-${Date.now()}`;
    const now = held ?? air("wind");
    send([now[0] + 0.5 * way[0]!, 0, now[2] + 0.5 * way[1]!]);
    release();
  };
  return html`<svg class="wind" viewBox="-48 -48 96 96" tabindex="0" role="slider" aria-label=${t("air.dial")} aria-valuenow=${strength.toFixed(1)} aria-valuemin="0" aria-valuemax=${MOST} aria-valuetext=${`${strength.toFixed(1)} m/s`} data-tip=${t("air.dial.tip")}
    @pointerdown=${down} @pointermove=${(e: PointerEvent) => e.buttons && held && move(e)} @pointerup=${release} @pointercancel=${release} @keydown=${press}>
    ${svg`<circle r=${RIM}></circle><path class="person" d="M-15 -1a15 5 0 0 1 30 0a15 5 0 0 1-30 0M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M-2 6h4l-2 4z"></path>
      ${strength > 0.05 ? svg`<path class="arrow" d="M0 0L${x} ${y}"></path><circle class="tip-handle" cx=${x} cy=${y} r="5"></circle>` : ""}
      <text y="46">${strength > 0.05 ? `${strength.toFixed(1)} m/s` : t("air.still")}</text>`}
  </svg>`;
}
