/** A divider between two panels: dragged, or moved with the arrow keys; a double click puts it back. */
import { html, type TemplateResult } from "lit-html";

export interface Split {
  /** read out by screen readers */
  label: string;
  /** "x": the panels stand side by side */
  axis: "x" | "y";
  value: number;
  min: number;
  max: number;
  /** where it stands at first */
  usual: number;
  /** how the value grows with a pixel: 1 px, -1 from the other side, or share of the whole */
  scale: () => number;
  change: (value: number) => void;
}

export function split(s: Split): TemplateResult {
  const set = (value: number): void => s.change(Math.min(Math.max(value, s.min), s.max));
  const down = (event: PointerEvent): void => {
    const bar = event.currentTarget as HTMLElement, from = s.axis === "x" ? event.clientX : event.clientY, began = s.value, scale = s.scale();
    bar.setPointerCapture(event.pointerId);
    const done = new AbortController();
    bar.addEventListener("pointermove", (e) => set(began + ((s.axis === "x" ? e.clientX : e.clientY) - from) * scale), { signal: done.signal });
    for (const name of ["pointerup", "pointercancel"] as const) bar.addEventListener(name, () => done.abort(), { signal: done.signal });
    event.preventDefault();
  };
  const press = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: -16, ArrowUp: -16, ArrowRight: 16, ArrowDown: 16 }[event.key];
    if (!way) return;
    event.preventDefault();
    set(s.value + way * s.scale());
  };
  return html`<div
    class="split ${s.axis}" role="separator" tabindex="0" aria-label=${s.label} aria-orientation=${s.axis === "x" ? "vertical" : "horizontal"}
    aria-valuenow=${Math.round(s.value * (s.max <= 1 ? 100 : 1))} aria-valuemin=${Math.round(s.min * (s.max <= 1 ? 100 : 1))} aria-valuemax=${Math.round(s.max * (s.max <= 1 ? 100 : 1))}
    @pointerdown=${down} @keydown=${press} @dblclick=${() => set(s.usual)}
  ></div>`;
}
