/** A garment on the rail. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ColourWay, Garment, Picture } from "../../../shared/api";
import { ours, price, t } from "../texts";
import { icon } from "./icon";
import { swatch } from "./swatch";

/** The picture that comes nearest to what is asked for. */
export function pictureOf(garment: Garment, body = "", colour = "", view = "three_quarter"): Picture | undefined {
  const points = (p: Picture): number => Number(p.colour === colour) * 4 + Number(p.body === body) * 2 + Number(p.view === view);
  return [...garment.pictures].sort((a, b) => points(b) - points(a))[0];
}

export function garmentPicture(garment: Garment, seen: Picture | undefined, eager = false): TemplateResult {
  return seen
    ? html`<img src=${seen.url} alt=${ours(garment.name)} width=${seen.width} height=${seen.height} loading=${eager ? "eager" : "lazy"} decoding="async" />`
    : html`<span class="no-picture">${icon("shirt")}</span>`;
}

export function garmentCard(garment: Garment, eager: boolean): TemplateResult {
  const colours = garment.colours.length;
  return html`<a class="card" href="/garment/${garment.id}">
    <span class="card-picture">${garmentPicture(garment, pictureOf(garment, "", garment.colours[0]?.id), eager)}</span>
    <span class="card-words">
      <span class="card-name">${ours(garment.name)}</span>
      <span class="card-price">${price(garment.price, garment.currency)}</span>
      <span class="hint">${ours(garment.fabric_words)}</span>
      <span class="card-colours" role="img" aria-label=${colours === 1 ? t("card.colour") : t("card.colours", { count: colours })}>
        ${colours > 1 ? garment.colours.slice(0, 5).map((way: ColourWay) => swatch(way)) : nothing}
      </span>
    </span>
  </a>`;
}
