/** What a page is: a view made anew after every change, and what happens when it is left. */
import type { TemplateResult } from "lit-html";

export interface Page {
  /** shown in the browser's title; empty while it is not known yet */
  title: () => string;
  view: () => TemplateResult;
  leave?: () => void;
}

export type Update = () => void;
export type PageMaker = (params: Record<string, string>, update: Update) => Page;

interface Route {
  path: string[];
  make: () => Promise<PageMaker>;
}

const routes: Route[] = [];

/** Make a page known: `/garment/:id`. Pages are fetched when they are first opened. */
export function route(path: string, make: () => Promise<PageMaker>): void {
  routes.push({ path: path.split("/").slice(1), make });
}

export interface Found {
  make: () => Promise<PageMaker>;
  params: Record<string, string>;
}

export function find(path: string): Found | undefined {
  const parts = path.replace(/\/+$/, "").split("/").slice(1);
  if (parts.length === 0) parts.push("");
  for (const { path: pattern, make } of routes) {
    const params = match(pattern, parts);
    if (params) return { make, params };
  }
  return undefined;
}

function match(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, piece] of pattern.entries()) {
    const part = parts[i] ?? "";
    if (piece.startsWith(":")) params[piece.slice(1)] = decodeURIComponent(part);
    else if (piece !== part) return undefined;
  }
  return params;
}

/** Go to another page of the shop. */
export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}
