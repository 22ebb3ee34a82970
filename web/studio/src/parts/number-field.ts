/** A number that can be typed, reckoned ("2*12.5cm"), dragged and stepped. Values are SI; what is seen has the field's unit. */
import { figure, readQuantity, UNITS, type Unit } from "../quantity";

export interface NumberChange {
  value: number;
  /** false while it is being dragged */
  done: boolean;
}

/** so many pixels make one step */
const PIXELS = 3;

export class NumberField extends HTMLElement {
  private readonly input = document.createElement("input");
  private readonly sign = document.createElement("span");
  private now = 0;
  private shownUnit: Unit = UNITS.cm;
  min = -Infinity;
  max = Infinity;
  /** one step of the arrows, in the field's unit; 0: one of its last place */
  step = 0;
  digits: number | undefined;

  get value(): number {
    return this.now;
  }
  set value(value: number) {
    this.now = value;
    if (document.activeElement !== this.input || this.dragging) this.show();
  }
  get unit(): Unit {
    return this.shownUnit;
  }
  set unit(unit: Unit) {
    const { sign, size, digits } = this.shownUnit;
    this.shownUnit = unit;
    // what is being typed stays
    if (sign !== unit.sign || size !== unit.size || digits !== unit.digits) this.show();
  }

  private dragging = false;
  private typed = false;

  connectedCallback(): void {
    if (this.input.parentElement) return;
    this.input.type = "text";
    this.input.inputMode = "decimal";
    this.input.autocomplete = "off";
    this.input.spellcheck = false;
    this.input.disabled = this.hasAttribute("disabled");
    this.input.setAttribute("role", "spinbutton");
    const label = this.getAttribute("label");
    if (label) this.input.setAttribute("aria-label", label);
    this.sign.className = "unit";
    this.sign.setAttribute("aria-hidden", "true");
    this.append(this.input, this.sign);
    this.input.addEventListener("keydown", (e) => this.press(e));
    this.input.addEventListener("focus", () => this.input.select());
    this.input.addEventListener("change", (e) => {
      // what the field says is its own event
      e.stopPropagation();
      this.take();
    });
    this.input.addEventListener("input", () => {
      this.typed = true;
      this.input.removeAttribute("aria-invalid");
    });
    this.addEventListener("pointerdown", (e) => this.drag(e));
    this.show();
  }

  private show(): void {
    this.input.value = figure(this.now, this.unit, this.digits ?? this.unit.digits);
    this.sign.textContent = this.unit.sign;
    this.input.setAttribute("aria-valuenow", this.input.value);
    this.input.setAttribute("aria-valuetext", `${this.input.value} ${this.unit.sign}`.trim());
    if (Number.isFinite(this.min)) this.input.setAttribute("aria-valuemin", figure(this.min, this.unit));
    if (Number.isFinite(this.max)) this.input.setAttribute("aria-valuemax", figure(this.max, this.unit));
    this.input.removeAttribute("aria-invalid");
  }

  private take(): void {
    // the key and the browser's own event say the same
    if (!this.typed) return;
    this.typed = false;
    const read = readQuantity(this.input.value, this.unit);
    if (read === null) return this.input.setAttribute("aria-invalid", "true");
    this.give(read, true);
    this.show();
  }

  private give(value: number, done: boolean): void {
    const kept = Math.min(Math.max(value, this.min), this.max);
    if (kept === this.now && !done) return;
    this.now = kept;
    this.dispatchEvent(new CustomEvent<NumberChange>("value", { detail: { value: kept, done }, bubbles: true }));
  }

  private get oneStep(): number {
    return (this.step || 10 ** -(this.digits ?? this.unit.digits)) * this.unit.size;
  }

  private press(event: KeyboardEvent): void {
    const direction = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (direction) {
      event.preventDefault();
      this.give(this.now + direction * this.oneStep * (event.shiftKey ? 10 : 1), true);
      this.show();
    } else if (event.key === "Enter") this.take();
    else if (event.key === "Escape") {
      this.typed = false;
      this.show();
      this.input.blur();
    } else return;
    event.stopPropagation();
  }

  private drag(event: PointerEvent): void {
    if (event.button || this.input.disabled || document.activeElement === this.input) return;
    const from = event.clientX, began = this.now, done = new AbortController();
    // a click still puts the cursor into the field
    event.preventDefault();
    this.setPointerCapture(event.pointerId);
    this.addEventListener("pointermove", (e) => {
      const way = e.clientX - from;
      if (!this.dragging && Math.abs(way) < 4) return;
      this.dragging = true;
      this.give(began + Math.round(way / PIXELS) * this.oneStep * (e.shiftKey ? 10 : e.altKey ? 0.1 : 1), false);
      this.show();
    }, { signal: done.signal });
    for (const name of ["pointerup", "pointercancel"] as const) {
      this.addEventListener(name, () => {
        done.abort();
        if (this.dragging) this.give(this.now, true);
        else this.input.focus();
        this.dragging = false;
      }, { signal: done.signal });
    }
  }
}

customElements.define("number-field", NumberField);

declare global {
  interface HTMLElementTagNameMap {
    "number-field": NumberField;
  }
}
