/** Small helpers to make controls. */

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K, set: Partial<Record<string, string>> = {}, ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(set)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/** A slider with its name and a number that says what it is set to. */
export function slider(
  name: string, range: { min: number; max: number; step: number; value: number }, said: (value: number) => string, changed: (value: number) => void,
): HTMLLabelElement {
  const input = element("input", { type: "range", ...mapped(range) }), number = element("span", { class: "number" }, said(range.value));
  input.setAttribute("aria-valuetext", said(range.value));
  input.addEventListener("input", () => {
    number.textContent = said(input.valueAsNumber);
    input.setAttribute("aria-valuetext", said(input.valueAsNumber));
    changed(input.valueAsNumber);
  });
  return element("label", { class: "live" }, name, input, number);
}

/** A list to choose from. */
export function choice(name: string, options: readonly string[], chosen: number, changed: (index: number) => void): HTMLLabelElement {
  const select = element("select", {}, ...options.map((text, i) => element("option", { value: String(i) }, text)));
  select.selectedIndex = chosen;
  select.addEventListener("change", () => changed(select.selectedIndex));
  return element("label", {}, name, select);
}

const mapped = (range: Record<string, number>): Record<string, string> => Object.fromEntries(Object.entries(range).map(([key, value]) => [key, String(value)]));
