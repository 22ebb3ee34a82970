/** Tooltips: what a thing does, its unit and its key, from data-tip and data-key. One for the whole page. */

const WAIT = 450;

export function startTips(): void {
  const box = document.createElement("div");
  box.className = "tip";
  box.setAttribute("aria-hidden", "true");
  box.hidden = true;
  document.body.append(box);
  let timer = 0, over: Element | null = null;
  const hide = (): void => {
    clearTimeout(timer);
    box.hidden = true;
    over = null;
  };
  const show = (target: HTMLElement): void => {
    const key = target.dataset["key"];
    box.replaceChildren(target.dataset["tip"] ?? "");
    if (key) {
      const sign = document.createElement("kbd");
      sign.textContent = key;
      box.append(sign);
    }
    box.hidden = false;
    const at = target.getBoundingClientRect(), size = box.getBoundingClientRect();
    const side = target.closest(".tools") && innerWidth > 799;
    const x = side ? at.right + 8 : at.left + at.width / 2 - size.width / 2;
    const below = at.bottom + 8 + size.height < innerHeight;
    const y = side ? at.top + at.height / 2 - size.height / 2 : below ? at.bottom + 8 : at.top - size.height - 8;
    box.style.setProperty("--x", `${Math.min(Math.max(x, 8), innerWidth - size.width - 8)}px`);
    box.style.setProperty("--y", `${y}px`);
  };
  const near = (event: Event): void => {
    const target = (event.target as Element).closest?.<HTMLElement>("[data-tip]") ?? null;
    if (target === over) return;
    hide();
    over = target;
    if (target) timer = window.setTimeout(() => target.isConnected && show(target), event.type === "focusin" ? 0 : WAIT);
  };
  window.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch") near(event);
  });
  window.addEventListener("focusin", (event) => {
    if ((event.target as Element).matches?.(":focus-visible")) near(event);
  });
  for (const name of ["pointerdown", "keydown", "focusout", "wheel"] as const) window.addEventListener(name, hide, { capture: true, passive: true });
}
