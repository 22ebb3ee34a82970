/** Starts the shop: language, theme, routes, and the frame round every page. */
import "@fontsource-variable/bricolage-grotesque/wght.css";
import "@fontsource-variable/inter/wght.css";
import "../../shared/tokens.css";
import "../../shared/base.css";
import "./styles/shop.css";
import { html, render } from "lit-html";
import { onBasket, readBasket } from "./basket";
import { frame } from "./frame";
import { failed, link, notice, skeletons } from "./parts/states";
import { find, type Page, route } from "./page";
import { applyTheme, network, settings } from "./settings";
import { speak, t } from "./texts";
import { say } from "./parts/say";

route("/", async () => (await import("./pages/home")).home);
route("/body", async () => (await import("./pages/body")).body);
route("/garment/:id", async () => (await import("./pages/garment")).garment);
route("/outfit", async () => (await import("./pages/outfit")).outfit);
route("/basket", async () => (await import("./pages/basket")).basket);
route("/order", async () => (await import("./pages/order")).order);
route("/thanks/:number", async () => (await import("./pages/thanks")).thanks);
route("/shared/:token", async () => (await import("./pages/look")).look);
route("/merchant", async () => (await import("./pages/merchant")).merchant);
route("/merchant/add", async () => (await import("./pages/merchant-add")).merchantAdd);

const root = document.getElementById("app") as HTMLElement;
let page: Page = { title: () => "", view: () => skeletons("page", 3) };
let path = "";
let wanted = 0;
let drawn = false;

/** Draw soon: many changes make one picture. */
export function update(): void {
  if (drawn) return;
  drawn = true;
  queueMicrotask(() => {
    drawn = false;
    const title = page.title();
    document.title = title ? `${title} · ${t("shop.name")}` : t("shop.name");
    render(frame(page.view(), path, update), root);
  });
}

async function open(first: boolean): Promise<void> {
  const number = ++wanted;
  const address = location.pathname;
  const found = find(address);
  let next: Page;
  try {
    next = found ? (await found.make())(found.params, update) : missing();
  } catch (error) {
    next = { title: () => t("state.failed.title"), view: () => failed(error, () => void open(false)) };
  }
  // another page was asked for in the meantime
  if (number !== wanted) return next.leave?.();
  page.leave?.();
  page = next;
  path = address;
  update();
  if (first) return;
  queueMicrotask(() => {
    scrollTo(0, 0);
    const heading = document.querySelector<HTMLElement>("main h1");
    heading?.setAttribute("tabindex", "-1");
    // what is still being fetched has no heading yet
    (heading ?? document.getElementById("content"))?.focus({ preventScroll: true });
  });
}

function missing(): Page {
  return {
    title: () => t("state.missing.title"),
    view: () => html`<div class="page">${notice("scissors", t("state.missing.title"), t("state.missing.text"), link("/", t("state.home")))}</div>`,
  };
}

// links inside the shop do not load a new page
root.addEventListener("click", (event) => {
  const anchor = (event.target as Element).closest("a");
  if (!anchor || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (anchor.origin !== location.origin || anchor.hasAttribute("download") || anchor.target) return;
  if (anchor.hash && anchor.pathname === location.pathname) return;
  event.preventDefault();
  if (anchor.href !== location.href) history.pushState(null, "", anchor.href);
  void open(false);
});
addEventListener("popstate", () => void open(false));
onBasket(update);
addEventListener("offline", () => update());
addEventListener("online", () => {
  say(t("shop.online"));
  update();
});

applyTheme();
await speak(settings.language);
void open(true);
void readBasket().catch(() => undefined);
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  void navigator.serviceWorker.register("/offline.js");
  // a page that came from the store is not always told by the browser
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<string>) => {
    network.lost = data === "from the store";
    update();
  });
}
