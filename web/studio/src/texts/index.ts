/** Words of the studio; every text stands in one catalogue. */
import { en, type TextKey } from "./en";

export type { TextKey } from "./en";

/** The text behind a key, with its {words} filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return en[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text behind a key that comes from the server's data, or the plain word where we have none. */
export function word(key: string, plain: string): string {
  return key in en ? en[key as TextKey] : sentence(plain);
}

/** A name of the program as people would write it. */
export function sentence(name: string): string {
  const text = name.replaceAll(/[_-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
