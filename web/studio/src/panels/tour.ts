/** The first minute: six steps, each beside what it speaks of; can be left at any time and taken again. */
import { html, nothing, render } from "lit-html";
import { act } from "../parts/fields";
import { state } from "../state";
import { t, type TextKey } from "../texts";

const STEPS: readonly { at: string; text: TextKey; title: TextKey; before?: () => void }[] = [
  { at: ".pane-3d", title: "tour.3d", text: "tour.3d.text", before: () => (state.shown = "3d") },
  { at: ".pane-2d", title: "tour.2d", text: "tour.2d.text", before: () => (state.shown = "2d") },
  { at: "[data-command='tool.seam']", title: "tour.seam", text: "tour.seam.text" },
  { at: ".side", title: "tour.side", text: "tour.side.text", before: () => (state.shown = "side") },
  { at: ".timeline", title: "tour.time", text: "tour.time.text", before: () => (state.shown = "3d") },
  { at: "[data-command='palette']", title: "tour.palette", text: "tour.palette.text" },
];
let step = -1;

export const touring = (): boolean => step >= 0 && step < STEPS.length;

export function startTour(): void {
  step = 0;
  state.wish({ toured: true });
  draw();
}

export function offerTour(): void {
  if (!state.wishes.toured) startTour();
}

function draw(): void {
  const place = document.getElementById("tour")!, now = STEPS[step];
  document.querySelectorAll(".toured").forEach((element) => element.classList.remove("toured"));
  if (!now) {
    state.shown = "3d";
    state.update();
    render(nothing, place);
    return;
  }
  now.before?.();
  state.update();
  document.querySelector(now.at)?.classList.add("toured");
  const go = (to: number) => (): void => {
    step = to;
    draw();
  };
  render(
    html`<div class="tour-card" role="dialog" aria-modal="false" aria-labelledby="tour-title" @keydown=${(e: KeyboardEvent) => e.key === "Escape" && go(STEPS.length)()}>
      <p class="hint">${t("tour.step", { now: step + 1, all: STEPS.length })}</p>
      <h2 id="tour-title">${t(now.title)}</h2>
      <p>${t(now.text)}</p>
      <div class="acts">${act(step + 1 < STEPS.length ? t("tour.next") : t("tour.done"), "check", go(step + 1), { main: true })} ${act(t("tour.leave"), "close", go(STEPS.length))}</div>
    </div>`,
    place,
  );
  place.querySelector("button")?.focus();
}
