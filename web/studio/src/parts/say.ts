/** Short messages at the lower edge, read out by screen readers; problems stay until they are closed. */
import { html, nothing, render } from "lit-html";
import { t } from "../texts";
import { icon } from "./icon";

const SHOWN = 6000;
let timer = 0;

export function say(text: string, problem = false, action?: { label: string; run: () => void }): void {
  const place = document.getElementById("said");
  if (!place) return;
  clearTimeout(timer);
  const close = (): void => void render(nothing, place);
  const act = (): void => {
    action?.run();
    close();
  };
  render(
    html`<p class="said ${problem ? "problem" : ""}">
      <span>${text}</span>
      ${action ? html`<button class="small" @click=${act}>${action.label}</button>` : nothing}
      <button class="small bare" aria-label=${t("close")} @click=${close}>${icon("close")}</button>
    </p>`,
    place,
  );
  if (!problem) timer = window.setTimeout(close, SHOWN);
}
