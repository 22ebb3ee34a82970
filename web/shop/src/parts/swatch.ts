/** A small round piece of cloth: its colour, its print. */
import { html, type TemplateResult } from "lit-html";
import type { ColourWay } from "../../../shared/api";
import { vars } from "./vars";

export function swatch(way: ColourWay): TemplateResult {
  const print = way.print === "image" && !way.image_url ? "plain" : way.print;
  const values = { colour: way.colour, second: way.second ?? way.colour };
  return html`<span class="swatch ${print}" aria-hidden="true" ${vars(values)}></span>`;
}
