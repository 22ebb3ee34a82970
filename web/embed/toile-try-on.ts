/**
 * `<toile-try-on shop="https://shop.example" garment="summer-dress">`: a garment of a shop on a merchant's own page.
 *
 * garment: its name in the shop. body: a standard body, or the visitor's own. size: else the recommended one.
 * Attributes may change at any time. Events: `toile-ready` when the dressed person is seen, `toile-error`.
 */
import { RecordingFile, Stage } from "toile-viewer";
import { Client, type Work } from "../shared/api";

const STYLE = `
:host { display: block; position: relative; min-height: 320px; background: var(--toile-paper, #efebe3); color: var(--toile-ink, #1d1c1a); font: 16px/1.5 system-ui, sans-serif; }
:host([hidden]) { display: none; }
.stage { position: absolute; inset: 0; }
.told { position: absolute; left: 16px; right: 16px; bottom: 16px; margin: 0; padding: 10px 14px; border-radius: 6px; background: var(--toile-card, #fff); }
.told[hidden] { display: none; }
`;
const TICK_MS = 250;

export class ToileTryOn extends HTMLElement {
  static readonly observedAttributes = ["garment", "body", "size", "colour", "shop"];
  stage: Stage | null = null;
  private readonly place = document.createElement("div");
  private readonly told = document.createElement("p");
  private asked = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.place.className = "stage";
    this.told.className = "told";
    this.told.setAttribute("role", "status");
    root.append(this.place, this.told);
  }

  connectedCallback(): void {
    try {
      this.stage ??= new Stage(this.place, { hair: true, label: this.getAttribute("label") ?? "Dressed person, turns with the arrow keys" });
    } catch {
      return this.tell("This browser shows no 3D pictures.", true);
    }
    void this.dress();
  }

  disconnectedCallback(): void {
    this.asked++;
    this.stage?.dispose();
    this.stage = null;
  }

  attributeChangedCallback(): void {
    if (this.stage) void this.dress();
  }

  /** Sew the garment and show it; what was asked before is given up. */
  private async dress(): Promise<void> {
    const turn = ++this.asked;
    const garment = this.getAttribute("garment");
    if (!garment) return this.tell("");
    const client = new Client(this.getAttribute("shop")?.replace(/\/$/, "") ?? "");
    this.tell("Sewing …");
    try {
      const wear = { garment_id: garment, size: this.getAttribute("size"), colour: this.getAttribute("colour") };
      const tryOn = await client.createTryOn({ wear: [wear], body_id: this.getAttribute("body") });
      let work: Work = tryOn.work;
      while (work.state === "queued" || work.state === "running") {
        await new Promise((later) => setTimeout(later, TICK_MS));
        if (turn !== this.asked) return;
        work = await client.getWork(tryOn.id, work.id);
      }
      const drape = work.files.find((file) => file.name.startsWith("drape"));
      if (!drape) throw new Error(work.error ?? "the garment could not be sewn");
      const answer = await fetch(client.base + drape.url, { credentials: client.base ? "include" : "same-origin" });
      const file = await RecordingFile.open(new Uint8Array(await answer.arrayBuffer()));
      if (turn !== this.asked || !this.stage) return;
      this.stage.setBody(file.body);
      this.stage.setCloth(file.cloth);
      // with the arms down
      await file.complete;
      if (turn !== this.asked || !this.stage) return;
      this.stage.setFrame(file.at(file.duration));
      this.stage.glide({ target: [0, 0.9, 0], distance: 4.2, azimuth: 0.35, elevation: 0.05 }, 0);
      this.tell("");
      this.dispatchEvent(new CustomEvent("toile-ready"));
    } catch (error) {
      if (turn === this.asked) this.tell(error instanceof Error ? error.message : String(error), true);
    }
  }

  private tell(text: string, wrong = false): void {
    this.told.hidden = !text;
    this.told.textContent = text;
    if (wrong) this.dispatchEvent(new CustomEvent("toile-error", { detail: text }));
  }
}

if (!customElements.get("toile-try-on")) customElements.define("toile-try-on", ToileTryOn);
export { ToileViewer } from "toile-viewer";
