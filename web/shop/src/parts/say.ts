/** Short messages at the lower edge, read out by screen readers; some can be undone. */
import { html, nothing, render } from "lit-html";
import { icon } from "./icon";

interface Message {
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 6000;
let timer = 0;

export function say(text: string, action?: Message["action"]): void {
  clearTimeout(timer);
  show(action ? { text, action } : { text });
  timer = window.setTimeout(() => show(undefined), SHOWN_MS);
}

function show(message: Message | undefined): void {
  const place = document.getElementById("said");
  if (!place) return;
  const act = () => {
    message?.action?.run();
    show(undefined);
  };
  render(
    message
      ? html`<p class="said">
          <span>${message.text}</span>
          ${message.action
            ? html`<button class="button quiet" @click=${act}>${icon("undo")}${message.action.label}</button>`
            : nothing}
        </p>`
      : nothing,
    place,
  );
}
