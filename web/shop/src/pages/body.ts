/** My body: three ways to begin, sliders that the body follows, a scan with questions. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Body, BodyList } from "../../../shared/api";
import { bodyStage } from "../parts/body-stage";
import { icon, type IconName } from "../parts/icon";
import { measureForm } from "../parts/measure-form";
import { say } from "../parts/say";
import { scanForm } from "../parts/scan-form";
import { failed, skeletons } from "../parts/states";
import { go, type Page, type Update } from "../page";
import { askAgain, client, theBodies, theBody, wearBody } from "../shop";
import { t } from "../texts";

type Way = "measures" | "scan" | "standard";
const WAYS: [Way, IconName][] = [
  ["measures", "ruler"],
  ["scan", "scan"],
  ["standard", "stand"],
];

export function body(_: Record<string, string>, update: Update): Page {
  let way: Way = "measures";
  let list: BodyList | undefined;
  let current: Body | undefined;
  let error: unknown;
  let asked = false;
  const stage = bodyStage(update);
  const form = measureForm(update, stage, (made) => use(made));
  const scan = scanForm(update, stage, (made) => use(made));

  const load = async () => {
    error = undefined;
    try {
      list = await theBodies();
      current = (await theBody()).body;
      form.start(list.ranges, current);
      stage.show(current);
    } catch (why) {
      error = why;
    }
    update();
  };
  const use = async (made: Body) => {
    await wearBody(made.id);
    list = await theBodies();
    current = made;
    say(t("body.saved"));
    // whoever came from a garment goes back to it
    const from = new URLSearchParams(location.search).get("for");
    if (from) go(`/garment/${encodeURIComponent(from)}`);
    else update();
  };
  const choose = (next: Way) => {
    way = next;
    update();
  };
  const pick = async (one: Body) => {
    stage.show(one);
    form.take(one);
    await use(one);
  };
  const forget = async () => {
    asked = false;
    await client.deleteVisitor();
    client.forget();
    navigator.serviceWorker?.controller?.postMessage("forget");
    askAgain();
    say(t("body.deleted"));
    await load();
  };
  void load();

  const ways = (): TemplateResult => html`<fieldset class="ways-in">
    <legend class="unseen">${t("body.ways")}</legend>
    ${WAYS.map(
      ([value, sign]) => html`<label class="way-in">
        <input type="radio" name="way" .checked=${way === value} @change=${() => choose(value)} />
        <span class="way-in-sign">${icon(sign)}</span>
        <span class="way-in-words">
          <span class="label">${t(`body.${value}`)}</span>
          <span class="hint">${t(`body.${value}.text`)}</span>
        </span>
      </label>`,
    )}
  </fieldset>`;

  const part = (): TemplateResult => {
    if (error) return failed(error, () => void load());
    if (!list || !current) return skeletons("rows", 6);
    if (way === "scan") return scan.view();
    if (way === "standard") return standard(list, current, pick);
    return form.view();
  };

  const delete_ = (): TemplateResult => html`<div class="forget">
    <a class="button quiet" href="/api/visitor/export" download>${icon("download")}${t("body.export")}</a>
    <button class="button quiet" aria-expanded=${asked ? "true" : "false"} @click=${() => ((asked = !asked), update())}>
      ${icon("delete")}${t("body.delete")}
    </button>
    ${asked
      ? html`<div class="sure" role="group" aria-label=${t("body.delete.sure")}>
          <p>${t("body.delete.sure")}</p>
          <button class="button" @click=${() => void forget()}>${t("body.delete.yes")}</button>
          <button class="button quiet" @click=${() => ((asked = false), update())}>${t("body.delete.no")}</button>
        </div>`
      : nothing}
  </div>`;

  return {
    title: () => t("body.title"),
    leave: stage.leave,
    view: () => html`<div class="page body-page">
      <header class="page-head">
        <h1>${t("body.title")}</h1>
        <p>${t("body.text")}</p>
      </header>
      ${ways()}
      <div class="body-work">
        <div class="body-stage">${stage.view()}</div>
        <div class="body-side">
          ${part()}
          <p class="privacy">${icon("check")}${t("body.privacy")}</p>
          ${delete_()}
        </div>
      </div>
    </div>`,
  };
}

function standard(list: BodyList, current: Body, pick: (body: Body) => Promise<void>): TemplateResult {
  const all = [...list.own, ...list.standard];
  return html`<fieldset class="people">
    <legend class="label">${t("body.standard.choose")}</legend>
    ${all.map(
      (one) => html`<label class="person">
        <input type="radio" name="person" .checked=${one.id === current.id} @change=${() => void pick(one)} />
        <span class="label">${one.name}</span>
        <span class="hint">${t("body.short", { height: Math.round((one.measures["height"] ?? 0) * 100), bust: girth(one, "bust"), waist: girth(one, "waist"), hips: girth(one, "hips") })}</span>
      </label>`,
    )}
  </fieldset>`;
}

function girth(one: Body, name: string): number {
  return Math.round((one.measures[name] ?? 0) * 100);
}
