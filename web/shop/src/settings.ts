/** What a visitor chose about the page itself, kept in this browser. */
import { LANGUAGES, type Language, type Units } from "./texts";

export type Theme = "auto" | "light" | "dark";

export interface Settings {
  language: Language;
  units: Units;
  theme: Theme;
}

const KEPT = "toile.settings";

function guessed(): Settings {
  const language: Language = navigator.language.startsWith("de") ? "de" : "en";
  return { language, units: /-(US|LR|MM)$/.test(navigator.language) ? "in" : "cm", theme: "auto" };
}

function read(): Settings {
  const found = guessed();
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Settings>;
    if (kept.language && kept.language in LANGUAGES) found.language = kept.language;
    if (kept.units === "cm" || kept.units === "in") found.units = kept.units;
    if (kept.theme === "light" || kept.theme === "dark") found.theme = kept.theme;
  } catch {
    // storage is off or damaged: the guess will do
  }
  return found;
}

export const settings: Settings = read();

/** Take over a choice and remember it. */
export function choose(change: Partial<Settings>): void {
  Object.assign(settings, change);
  applyTheme();
  try {
    localStorage.setItem(KEPT, JSON.stringify(settings));
  } catch {
    // not remembered, but in force
  }
}

export function applyTheme(): void {
  if (settings.theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = settings.theme;
}

/** The server cannot be reached, and what is seen was kept. */
export const network = { lost: false };
