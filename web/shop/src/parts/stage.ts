/** A stage on a page: fetched when it is first needed, with a designed state where there is no 3D. */
import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import type { Stage } from "toile-viewer";
import { t } from "../texts";
import type { Update } from "../page";
import { icon } from "./icon";

export interface StageHolder {
  /** picture: shown until something can be seen, and where there is no 3D */
  view: (label: string, picture?: TemplateResult | typeof nothing) => TemplateResult;
  /** does something with the stage as soon as it is there; nothing where there is no 3D */
  use: (act: (stage: Stage) => void) => void;
  /** something can be seen: the picture before it goes */
  ready: () => void;
  isReady: () => boolean;
  hasNo3d: () => boolean;
  leave: () => void;
}

const TURN = Math.PI / 4;

export function stageHolder(update: Update): StageHolder {
  let stage: Stage | undefined;
  let host: Element | undefined;
  let none = false;
  let seen = false;
  let left = false;
  let starting = false;
  const waiting: ((stage: Stage) => void)[] = [];
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const paint = () => {
    if (stage) stage.setBackground(getComputedStyle(document.documentElement).getPropertyValue("--studio-near").trim());
  };
  const themes = new MutationObserver(paint);
  const start = async (element: HTMLElement): Promise<void> => {
    starting = true;
    try {
      const viewer = await import("toile-viewer");
      if (left) return;
      stage = new viewer.Stage(element, { label: element.dataset["label"] ?? "", hair: true });
      paint();
      dark.addEventListener("change", paint);
      themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
      for (const act of waiting.splice(0)) act(stage);
    } catch {
      none = true;
      update();
    }
  };
  // 3D costs time and battery: it begins when there is something to show
  const begin = () => {
    if (host && !stage && !starting && waiting.length) void start(host as HTMLElement);
  };
  const place = (element?: Element) => {
    if (!element || element === host) return;
    host = element;
    if (stage) element.append(stage.canvas);
    else begin();
  };

  return {
    view: (label, picture = nothing) => {
      stage?.canvas.setAttribute("aria-label", label);
      return html`<div class="stage ${seen && !none ? "seen" : ""}">
        ${none
          ? html`<div class="stage-none">
              ${picture}
              <p class="hint"><strong>${t("state.webgl.title")}.</strong> ${t("state.webgl.text")}</p>
            </div>`
          : html`<div class="stage-canvas" data-label=${label} ${ref(place)}></div>
              <div class="stage-before" aria-hidden="true">${picture}</div>`}
      </div>`;
    },
    use: (act) => {
      if (stage) return act(stage);
      if (!none) waiting.push(act);
      begin();
    },
    ready: () => {
      if (seen) return;
      seen = true;
      update();
    },
    isReady: () => seen,
    hasNo3d: () => none,
    leave: () => {
      left = true;
      dark.removeEventListener("change", paint);
      themes.disconnect();
      stage?.dispose();
    },
  };
}

/** Buttons that do what dragging and pinching do. */
export function viewButtons(holder: StageHolder): TemplateResult {
  const turn = (by: number) => () => holder.use((s) => s.glide({ azimuth: s.view.azimuth + by }, 0.3));
  const near = (factor: number) => () => holder.use((s) => s.glide({ distance: s.view.distance * factor }, 0.3));
  const button = (sign: Parameters<typeof icon>[0], text: string, act: () => void): TemplateResult =>
    html`<button class="tool" title=${text} aria-label=${text} @click=${act}>${icon(sign)}</button>`;
  if (holder.hasNo3d()) return html``;
  return html`<div class="view-buttons" role="group">
    ${button("undo", t("body.turn.left"), turn(-TURN))} ${button("turn", t("body.turn.right"), turn(TURN))}
    ${button("closer", t("garment.closer"), near(0.8))} ${button("farther", t("garment.farther"), near(1.25))}
  </div>`;
}
