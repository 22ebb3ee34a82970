/** The basket as the server has it, and a count for the frame round the pages. */
import type { Basket, BasketAdd } from "../../shared/api";
import { client } from "./shop";

let basket: Basket | undefined;
const watchers = new Set<() => void>();

export function basketCount(): number {
  return basket?.items.reduce((sum, item) => sum + item.quantity, 0) ?? 0;
}

export function currentBasket(): Basket | undefined {
  return basket;
}

/** Hear of every change; returns how to stop. */
export function onBasket(heard: () => void): () => void {
  watchers.add(heard);
  return () => watchers.delete(heard);
}

function take(now: Basket): Basket {
  basket = now;
  for (const heard of watchers) heard();
  return now;
}

export async function readBasket(): Promise<Basket> {
  return take(await client.getBasket());
}

export async function putIn(item: BasketAdd): Promise<Basket> {
  return take(await client.addToBasket(item));
}

export async function setQuantity(id: string, quantity: number): Promise<Basket> {
  return take(await client.changeBasketItem(id, { quantity }));
}

/** After an order the basket is empty. */
export function emptied(): void {
  if (basket) take({ ...basket, items: [], total: 0 });
}
