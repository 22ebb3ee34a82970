/** Words, numbers and lengths in the visitor's language and units. */
import { en, type TextKey, type Texts } from "./en";

export type { TextKey } from "./en";
export type Language = "en" | "de";
export type Units = "cm" | "in";
export const LANGUAGES: Record<Language, string> = { en: "English", de: "Deutsch" };

const THIN = "\u202f";
const CM_PER_INCH = 2.54;
let language: Language = "en";
let texts: Texts = en;
let catalogue: Record<string, string> = {};

/** Load a language; until it is there the one before stays. */
export async function speak(wanted: Language): Promise<void> {
  const [words, garments] = wanted === "de" ? await Promise.all([import("./de"), import("./de-catalogue")]) : [];
  texts = words?.de ?? en;
  catalogue = garments?.catalogue ?? {};
  language = wanted;
  document.documentElement.lang = wanted;
}

export function spoken(): Language {
  return language;
}

/** The text behind a key, with its {words} filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text behind a key that comes from the server's data, or the plain word where we have none. */
export function word(key: string, plain: string): string {
  return key in texts ? texts[key as TextKey] : plain;
}

/** Words of the catalogue; those of our own garments in the visitor's language. */
export function ours(words: string): string {
  return catalogue[words] ?? words;
}

/** A length [m] in the visitor's units, with its unit. */
export function length(metres: number, units: Units, digits = 1): string {
  return `${figure(metres, units, digits)}${THIN}${units}`;
}

/** A length [m] as a bare figure in the visitor's units. */
export function figure(metres: number, units: Units, digits = 1): string {
  const value = units === "cm" ? metres * 100 : (metres * 100) / CM_PER_INCH;
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);
}

/** Metres of one unit. */
export function metresOf(units: Units): number {
  return units === "cm" ? 0.01 : CM_PER_INCH / 100;
}

/** A price of hundredths. */
export function price(cents: number, currency: string): string {
  return new Intl.NumberFormat(language, { style: "currency", currency }).format(cents / 100);
}

/** A moment, short. */
export function moment(seconds: number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(1000 * seconds));
}
