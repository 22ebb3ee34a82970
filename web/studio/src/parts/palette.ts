/** The palette: every command by its name, found by a few letters. */
import { html, nothing, render } from "lit-html";
import { allCommands, can, nameOf, type Command } from "../commands";
import { fits } from "../fits";
import { t } from "../texts";
import { icon } from "./icon";

let text = "", at = 0, recent: string[] = [];

export function openPalette(): void {
  const dialog = document.getElementById("palette") as HTMLDialogElement;
  if (dialog.open) return dialog.close();
  text = "";
  at = 0;
  draw(dialog);
  dialog.showModal();
  dialog.querySelector("input")?.focus();
}

function found(): Command[] {
  const open = allCommands().filter(can);
  if (!text.trim()) {
    const before = recent.flatMap((id) => open.filter((one) => one.id === id));
    return [...before, ...open.filter((one) => !before.includes(one))];
  }
  const scored = open.map((one) => ({ one, score: fits(`${nameOf(one)} ${t(one.group)}`, text) })).filter(({ score }) => score > 0);
  return scored.sort((a, b) => b.score - a.score).map(({ one }) => one);
}

function draw(dialog: HTMLDialogElement): void {
  const list = found();
  at = Math.min(at, Math.max(list.length - 1, 0));
  const go = (one: Command | undefined): void => {
    if (!one) return;
    dialog.close();
    recent = [one.id, ...recent.filter((id) => id !== one.id)].slice(0, 5);
    one.run();
  };
  const press = (event: KeyboardEvent): void => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way && list.length) at = (at + way + list.length) % list.length;
    else if (event.key === "Enter") {
      // or the key would press what gets the focus next
      event.preventDefault();
      return go(list[at]);
    }
    else return;
    event.preventDefault();
    draw(dialog);
    dialog.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  const typed = (event: Event): void => {
    text = (event.target as HTMLInputElement).value;
    at = 0;
    draw(dialog);
  };
  render(
    html`<div class="palette-head">
        ${icon("search")}
        <input
          role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${list.length ? `palette-${at}` : nothing}
          aria-label=${t("palette.label")} placeholder=${t("palette.hint")} .value=${text} @input=${typed} @keydown=${press}
        />
      </div>
      <ul id="palette-list" role="listbox" aria-label=${t("palette.label")} tabindex="0">
        ${list.map(
          (one, i) => html`<li id="palette-${i}" role="option" aria-selected=${i === at} @click=${() => go(one)}>
            ${one.icon ? icon(one.icon) : html`<span class="icon"></span>`}<span>${nameOf(one)}</span><span class="hint">${t(one.group)}</span>
            ${one.key ? html`<kbd>${one.key}</kbd>` : nothing}
          </li>`,
        )}
      </ul>
      ${list.length ? nothing : html`<p class="hint empty">${t("palette.none")}</p>`}`,
    dialog,
  );
}
