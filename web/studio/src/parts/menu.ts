/** The menu at the pointer: what can be done with what lies there. */
import { html, nothing, render } from "lit-html";
import { can, command, nameOf } from "../commands";
import { icon } from "./icon";

let off: AbortController | null = null;

export function openMenu(event: MouseEvent, ids: readonly (string | null)[]): void {
  event.preventDefault();
  closeMenu();
  const place = document.getElementById("menu")!, shown = ids.filter((id) => id === null || can(command(id)));
  if (!shown.some((id) => id !== null)) return;
  const items = shown.map((id) => {
    if (id === null) return html`<li role="separator"></li>`;
    const one = command(id), go = (): void => {
      closeMenu();
      one.run();
    };
    return html`<li role="none"><button role="menuitem" @click=${go}>${one.icon ? icon(one.icon) : nothing}<span>${nameOf(one)}</span>${one.key ? html`<kbd>${one.key}</kbd>` : nothing}</button></li>`;
  });
  render(html`<ul role="menu" class="menu" @keydown=${press}>${items}</ul>`, place);
  const menu = place.querySelector<HTMLElement>(".menu")!, { width, height } = menu.getBoundingClientRect();
  menu.style.setProperty("--x", `${Math.min(event.clientX, innerWidth - width - 8)}px`);
  menu.style.setProperty("--y", `${Math.min(event.clientY, innerHeight - height - 8)}px`);
  menu.querySelector("button")?.focus();
  off = new AbortController();
  window.addEventListener("pointerdown", (e) => !menu.contains(e.target as Node) && closeMenu(), { signal: off.signal, capture: true });
}

export function closeMenu(): void {
  off?.abort();
  render(nothing, document.getElementById("menu")!);
}

function press(event: KeyboardEvent): void {
  const items = [...(event.currentTarget as Element).querySelectorAll("button")], at = items.indexOf(document.activeElement as HTMLButtonElement);
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") closeMenu();
  else if (way) items[(at + way + items.length) % items.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
