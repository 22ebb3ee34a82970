/** What the visitor wears, innermost first: kept in this browser, sewn by the server when asked. */
import type { Wear } from "../../shared/api";

const KEPT = "toile.outfit";
const MOST = 4;

export interface Layer extends Wear {
  garment_id: string;
  size: string;
  colour: string;
}

function read(): Layer[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter((l: Partial<Layer>) => typeof l?.garment_id === "string" && typeof l.size === "string").slice(0, MOST) as Layer[];
  } catch {
    return [];
  }
}

let layers: Layer[] = read();

export function theOutfit(): readonly Layer[] {
  return layers;
}

function keep(next: Layer[]): void {
  layers = next;
  try {
    localStorage.setItem(KEPT, JSON.stringify(next));
  } catch {
    // kept while the page is open
  }
}

/** Put something on over what is worn; the same garment in another size takes its place. */
export function putOn(layer: Layer, place = layers.length): void {
  const others = layers.filter((l) => l.garment_id !== layer.garment_id).slice(-(MOST - 1));
  keep([...others.slice(0, place), layer, ...others.slice(place)]);
}

export function takeOff(index: number): Layer | undefined {
  const taken = layers[index];
  keep(layers.filter((_, i) => i !== index));
  return taken;
}

export function move(from: number, to: number): void {
  const next = [...layers];
  const [moved] = next.splice(from, 1);
  if (moved) next.splice(to, 0, moved);
  keep(next);
}
