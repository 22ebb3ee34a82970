/** The merchant's way in: the key stays in this tab and goes with every request. */
import { Client, Refusal } from "../../shared/api";

const KEPT = "toile.merchant";

export const merchant = new Client();
let open = false;

try {
  const key = sessionStorage.getItem(KEPT);
  if (key) {
    merchant.setKey(key);
    open = true;
  }
} catch {
  // asked for again
}

export function isOpen(): boolean {
  return open;
}

/** Try a key; false: it is not the right one. */
export async function enter(key: string): Promise<boolean> {
  merchant.setKey(key);
  try {
    await merchant.checkMerchant();
  } catch (error) {
    merchant.setKey("");
    if (error instanceof Refusal && error.status === 401) return false;
    throw error;
  }
  open = true;
  try {
    sessionStorage.setItem(KEPT, key);
  } catch {
    // until the page is left
  }
  return true;
}

export function leaveShop(): void {
  open = false;
  merchant.setKey("");
  sessionStorage.removeItem(KEPT);
}
