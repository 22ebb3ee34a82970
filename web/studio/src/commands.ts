/** All that can be done, as a table: buttons, keys, menus and the palette show the same commands. */
import type { IconName } from "./parts/icon";
import { t, type TextKey } from "./texts";

export interface Command {
  readonly id: string;
  readonly text: TextKey;
  /** in place of the text, for what the studio names */
  readonly name?: string;
  readonly icon?: IconName;
  /** as people say it: "Ctrl+Shift+Z", "R", "Space" */
  readonly key?: string;
  /** heading in the palette */
  readonly group: TextKey;
  readonly run: () => void;
  /** left out: always */
  readonly can?: () => boolean;
  /** for those that are on or off */
  readonly on?: () => boolean;
}

const table = new Map<string, Command>();

export function addCommands(commands: readonly Command[]): void {
  for (const command of commands) table.set(command.id, command);
}

export const allCommands = (): Command[] => [...table.values()];

export function command(id: string): Command {
  const found = table.get(id);
  if (!found) throw new RangeError(`there is no command ${id}`);
  return found;
}

export const can = (one: Command): boolean => one.can?.() ?? true;

export function run(id: string): void {
  const one = command(id);
  if (can(one)) one.run();
}

/** The command's name; what a tooltip shows beside its key. */
export const nameOf = (one: Command): string => one.name ?? t(one.text);

/** Runs the command of a key, unless somebody is writing. */
export function startKeys(): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = pressedKey(event), target = event.target as HTMLElement;
    const writing = target.matches?.("input:not([type=range],[type=checkbox]), textarea, select, [contenteditable]");
    // a list that was chosen from keeps the focus: letters are for tools, the rest is its own
    const choosing = target.matches?.("select") && /^(Shift\+)?[A-Z]$/.test(pressed);
    if (writing && !choosing && !event.ctrlKey && !event.metaKey) return;
    // a list, a slider or a button has use for these itself
    if (/^(Space|Enter)$/.test(pressed) && target.matches?.("button, summary, a, [role=option], [role=tab]")) return;
    if (writing && /^Ctrl\+(Shift\+)?[ZYACV]$/.test(pressed)) return;
    if (document.querySelector("dialog[open]") && pressed !== "Ctrl+K") return;
    const one = allCommands().find((c) => c.key === pressed && can(c));
    if (!one) return;
    event.preventDefault();
    one.run();
  });
}

function pressedKey(event: KeyboardEvent): string {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const shift = event.shiftKey && (event.key.length > 1 || /[a-z ]/i.test(event.key));
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}
