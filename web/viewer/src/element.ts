import { ToileError } from "toile-engine";
import { STYLE } from "./look";
import { element } from "./parts";
import { Playback } from "./playback";
import { RecordingFile } from "./recording";
import { Stage } from "./stage";

/**
 * `<toile-viewer src="look.play">`: a dressed body that can be turned, played and stopped.
 *
 * src: a recording. background, tone: colours. label: what a screen reader says. still: does not begin to play.
 * Events: `toile-ready`, `toile-error` with a message in detail.
 */
export class ToileViewer extends HTMLElement {
  static readonly observedAttributes = ["src", "background", "tone"];
  /** the stage, once the element is in a page; null without WebGL */
  stage: Stage | null = null;
  readonly bar = element("div", { class: "bar", hidden: "" });
  playback: Playback | null = null;
  private readonly place = element("div", { class: "stage" });
  private readonly told = element("div", { class: "told", role: "status", hidden: "" });
  private opened = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(this.place, this.told, this.bar);
  }

  connectedCallback(): void {
    if (this.stage) return;
    const [label, background, tone] = ["label", "background", "tone"].map((name) => this.getAttribute(name));
    try {
      this.stage = new Stage(this.place, { ...(label && { label }), ...(background && { background }), ...(tone && { tone }) });
    } catch {
      this.tell("This browser shows no 3D pictures (WebGL 2 is missing or switched off).", true);
      return;
    }
    const src = this.getAttribute("src");
    if (src) void this.open(src);
  }

  disconnectedCallback(): void {
    this.opened++;
    this.playback?.dispose();
    this.stage?.dispose();
    this.stage = this.playback = null;
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (!this.stage || value === null) return;
    if (name === "src") void this.open(value);
    if (name === "background") this.stage.setBackground(value);
    if (name === "tone") this.stage.setTone(value);
  }

  /** Shows a recording: an address, or its bytes. */
  async open(source: string | Uint8Array): Promise<void> {
    const turn = ++this.opened;
    try {
      const file = await RecordingFile.open(typeof source === "string" ? await fetched(source) : source, () => this.playback?.grown());
      if (turn !== this.opened || !this.stage) return;
      this.playback?.dispose();
      this.playback = new Playback(this.stage, file, this.bar, !this.hasAttribute("still"));
      this.tell("");
      this.dispatchEvent(new CustomEvent("toile-ready"));
      await file.complete;
    } catch (error) {
      if (turn === this.opened) this.tell(error instanceof ToileError ? sentence(error.message) : "The recording could not be loaded.", true);
    }
  }

  /** Says something to the person in front of the screen; nothing: takes it away. */
  tell(message: string, wrong = false): void {
    this.told.hidden = !message;
    this.told.textContent = message;
    this.told.classList.toggle("wrong", wrong);
    if (wrong) this.dispatchEvent(new CustomEvent("toile-error", { detail: message }));
  }
}

/** Returns what lies at an address, as it arrives. */
export async function fetched(address: string): Promise<ReadableStream<Uint8Array>> {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || !answer.body) throw new ToileError(`${address} could not be loaded${answer ? ` (${answer.status})` : ""}`);
  return answer.body;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

if (!customElements.get("toile-viewer")) customElements.define("toile-viewer", ToileViewer);
