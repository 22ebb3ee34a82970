/** The cloth: fabric, its figures, colour and print, of a garment or of one of its pieces. */
import { html, nothing, type TemplateResult } from "lit-html";
import { choiceRow, controlRow, row, section } from "../parts/fields";
import { following } from "../project";
import { said, UNITS } from "../quantity";
import { attempt, edit } from "../scene/link";
import { state } from "../state";
import { t, word } from "../texts";

const figures: Record<string, number> = {};
const changing = following(figures, (group) => ({ type: "set_figures", garment: state.selection.garment, figures: { ...figures }, group }));

export function clothPanel(): TemplateResult {
  const { hello, selection } = state, garment = state.garment();
  if (!hello) return html`<div class="bones"></div>`;
  if (!garment) return html`<p class="hint pad">${t("cloth.none")}</p>`;
  const piece = selection.pieces.length === 1 ? state.piece(selection.garment, selection.pieces[0]!) : undefined;
  const fabric = piece?.fabric || garment.fabric, library = hello.fabrics.find((one) => one.name === fabric), on = { garment: selection.garment, ...(piece ? { piece: piece.piece } : {}) };
  const any = piece ?? state.piece(selection.garment, garment.pieces[0] ?? "");
  const look = { colour: any?.colour || garment.colour || "#b3b3b8", print: any?.print || "plain", second: any?.second || "#ffffff", repeat: any?.repeat || 0.02 };
  const dress = (change: Partial<typeof look>) => edit({ type: "set_look", ...on, ...look, ...change, print: (change.print ?? look.print) as "plain" });
  return html`
    ${section(piece ? t("cloth.of.piece", { name: piece.piece }) : t("cloth.of", { name: garment.name }), html`
      ${choiceRow(t("cloth.fabric"), hello.fabrics.map((one) => [one.name, word(`fabric.${one.name}`, one.name)] as const), fabric, (name) => void attempt({ type: "set_fabric", ...on, fabric: name }), library?.help)}
      ${library?.help ? html`<p class="hint">${library.help}</p>` : nothing}
      ${row(t("cloth.colour"), html`<input type="color" aria-label=${t("cloth.colour")} .value=${look.colour} @change=${(e: Event) => dress({ colour: (e.target as HTMLInputElement).value })} />`)}
      ${choiceRow(t("cloth.print"), (["plain", "stripes", "dots", "checks"] as const).map((name) => [name, t(`print.${name}`)] as const), look.print, (print) => dress({ print }))}
      ${look.print === "plain" ? nothing : html`
        ${row(t("cloth.second"), html`<input type="color" aria-label=${t("cloth.second")} .value=${look.second} @change=${(e: Event) => dress({ second: (e.target as HTMLInputElement).value })} />`)}
        ${controlRow({ name: "repeat", kind: "number", default: 0.02, help: "", unit: "m", low: 0.002, high: 1, choices: [] }, look.repeat, (v, done) => done && dress({ repeat: Number(v) }))}`}`)}
    ${library ? section(t("cloth.figures"), html`${curves(garment.figures)}${library.controls.map((control) => controlRow(control, figures[control.name] ?? garment.figures[control.name], (v) => {
      if (typeof v !== "number") return;
      figures[control.name] = v;
      changing.change();
    }))}`) : nothing}`;
}

/** Force over stretch along both threads, from the figures. */
function curves(now: Readonly<Record<string, number>>): TemplateResult | typeof nothing {
  const [warp, weft] = [now["stretch_warp"], now["stretch_weft"]];
  if (!warp || !weft) return nothing;
  const most = Math.max(warp, weft), y = (k: number): number => 70 - (60 * k) / most;
  return html`<figure class="curves"><svg viewBox="0 0 200 80" role="img" aria-label=${t("cloth.curves")}>
      <path class="axis" d="M10 4V70H196"></path><path class="warp" d="M10 70L190 ${y(warp)}"></path><path class="weft" d="M10 70L190 ${y(weft)}"></path>
    </svg><figcaption class="hint"><span class="key warp"></span>${t("cloth.warp")} <span class="key weft"></span>${t("cloth.weft")} · ${said(0.05, UNITS.percent)} ${t("cloth.stretched")}</figcaption></figure>`;
}
