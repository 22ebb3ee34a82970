import { LiveScene, ToileError } from "toile-engine";
import { LivePlayer } from "./live";
import { STYLE } from "./look";
import { element } from "./parts";
import { Playback } from "./playback";
import { RecordingFile } from "./recording";
import { Stage } from "./stage";

/**
 * `<toile-viewer src="look.play" scene="look.scene" engine="engine">`: a dressed body that can be turned, played and stopped,
 * or lives where a scene is named and the device is quick enough.
 *
 * src: a recording, the first picture and what is shown where the scene cannot live. scene: a prepared scene. engine: folder of
 * the engine (default: engine/ beside the page). background, tone: colours. label: what a screen reader says. still: does not
 * begin to play. Events: `toile-ready`, `toile-live`, `toile-error` with a message in detail.
 */
export class ToileViewer extends HTMLElement {
  static readonly observedAttributes = ["src", "background", "tone"];
  /** the stage, once the element is in a page; null without WebGL */
  stage: Stage | null = null;
  readonly bar = element("div", { class: "bar", hidden: "" });
  playback: Playback | null = null;
  /** the scene that lives, if one does */
  live: LivePlayer | null = null;
  private readonly place = element("div", { class: "stage" });
  private readonly told = element("div", { class: "told", role: "status", hidden: "" });
  private opened = 0;
  /** why the scene does not live; stays while the recording is shown instead */
  private whyNot = "";
  /** bytes of the recording, where it came without an address */
  private recording: Uint8Array | null = null;

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
    const src = this.getAttribute("src"), scene = this.getAttribute("scene");
    if (src) void this.open(src);
    if (scene) void this.openScene(scene);
  }

  disconnectedCallback(): void {
    this.opened++;
    this.playback?.dispose();
    this.live?.dispose();
    this.stage?.dispose();
    this.stage = this.playback = this.live = null;
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
    if (typeof source !== "string") this.recording = source;
    try {
      const file = await RecordingFile.open(typeof source === "string" ? await fetched(source) : source, () => this.playback?.grown());
      // the first picture came too late: the scene lives already
      if (turn !== this.opened || !this.stage || this.live) return;
      this.playback?.dispose();
      this.playback = new Playback(this.stage, file, this.bar, !this.hasAttribute("still"));
      if (!this.whyNot) this.tell("");
      this.dispatchEvent(new CustomEvent("toile-ready"));
      await file.complete;
    } catch (error) {
      if (turn === this.opened) this.tell(error instanceof ToileError ? sentence(error.message) : "The recording could not be loaded.", true);
    }
  }

  /** Lets a prepared scene live: an address, or its bytes. engine: the folder, or the compiled engine; worker: makes the Worker. */
  async openScene(
    source: string | Uint8Array, engine: string | WebAssembly.Module = this.getAttribute("engine") ?? new URL("engine", document.baseURI).href, worker?: () => Worker,
  ): Promise<void> {
    try {
      this.whyNot = "";
      const bytes = typeof source === "string" ? await gathered(await fetched(source)) : source;
      const scene = await LiveScene.open(bytes, { engine, ...(worker && { worker }) });
      if (!this.stage) return scene.close();
      const live = new LivePlayer(this.stage, scene, this.bar, (why) => this.standIn(why));
      this.live?.scene.close();
      this.playback = null;
      this.live = live;
      this.tell("");
      this.dispatchEvent(new CustomEvent("toile-live"));
    } catch (error) {
      // the recording goes on
      this.whyNot = error instanceof ToileError ? sentence(error.message) : "The scene could not be opened.";
      this.tell(this.whyNot, true);
    }
  }

  /** The scene cannot go on here: back to the recording, if there is one. */
  private standIn(why: string): void {
    const src = this.getAttribute("src"), recording = this.recording ?? src;
    this.live?.dispose();
    this.live = null;
    if (recording) void this.open(recording).then(() => this.tell(`${why} You see a recording instead.`));
    else this.tell(why, true);
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

/** All of a stream; larger ones than a scene can be are refused. */
async function gathered(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const bytes = new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
  if (bytes.length > 100e6) throw new ToileError("the scene is too large for this page");
  return bytes;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

if (!customElements.get("toile-viewer")) customElements.define("toile-viewer", ToileViewer);
