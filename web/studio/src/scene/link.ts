/** The line to the studio's process: messages both ways, files, and coming back when the line broke. */
import type { FromStudio, ToStudio } from "../../../shared/studio-messages";
import { state } from "../state";
import { t } from "../texts";
import { say } from "../parts/say";
import { frameHead, isFrame } from "./frame";

const SESSION = "toile-studio-session";
/** waits between tries to come back [ms] */
const TRIES = [300, 1000, 2000, 4000];
const OVER = 4404, ELSEWHERE = 4409, FORBIDDEN = 4403, DIED = 4500;

/** what is seen at once: the time to its picture is shown */
const FELT = new Set<ToStudio["type"]>(["grab", "move_points", "move_edges", "set_curve", "set_length", "set_air", "iron"]);

class Link {
  /** meshes and frames as they come */
  onBinary: ((data: ArrayBuffer) => void) | null = null;
  /** after the page has taken a message over */
  onMessage: ((message: FromStudio) => void) | null = null;
  /** from a command's sending to the first picture that takes it into account [ms] */
  latency = 0;
  bytes = 0;
  private socket: WebSocket | null = null;
  private number = 0;
  private tries = 0;
  private readonly sentAt = new Map<number, number>();
  private readonly waiting = new Map<number, { done: () => void; refused: (why: Error) => void }>();
  private readonly token = new URLSearchParams(location.search).get("token") ?? "";

  open(): void {
    const asked = new URLSearchParams(), session = this.session;
    if (session) asked.set("session", session);
    if (this.token) asked.set("token", this.token);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/studio/live?${asked}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => this.take(data);
    socket.onclose = ({ code }) => this.lost(code);
    this.socket = socket;
  }

  /** Sends a message; does not wait. */
  send(message: ToStudio): void {
    this.post({ ...message, id: message.id ?? ++this.number });
  }

  /** Sends a message and waits until it was carried out; throws what it was refused for. */
  ask(message: ToStudio): Promise<void> {
    const id = ++this.number;
    return new Promise((done, refused) => {
      this.waiting.set(id, { done, refused });
      if (!this.post({ ...message, id })) this.answer(id, t("line.lost"));
    });
  }

  /** Puts a file into the project's folder. */
  async put(name: string, file: Blob): Promise<void> {
    const answer = await fetch(this.address(name), { method: "PUT", body: file, headers: this.headers });
    if (!answer.ok) throw new Error((await answer.text()).slice(0, 300) || t("file.refused"));
  }

  async get(name: string): Promise<Blob> {
    const answer = await fetch(this.address(name), { headers: this.headers });
    if (!answer.ok) throw new Error(t("file.missing", { name }));
    return answer.blob();
  }

  /** A picture shows what this message asked for. */
  seen(id: number): void {
    const since = this.sentAt.get(id);
    if (since !== undefined) this.latency = performance.now() - since;
    for (const old of this.sentAt.keys()) if (old <= id) this.sentAt.delete(old);
  }

  private get headers(): Record<string, string> {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }

  private address(name: string): string {
    return `/studio/files/${encodeURIComponent(state.hello?.session ?? "")}/${encodeURIComponent(name)}`;
  }

  private get session(): string {
    return new URLSearchParams(location.search).get("session") ?? sessionStorage.getItem(SESSION) ?? "";
  }

  private post(message: ToStudio): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    if (message.id !== undefined && FELT.has(message.type)) this.sentAt.set(message.id, performance.now());
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private take(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      this.bytes += data.byteLength;
      if (this.onBinary) this.onBinary(data);
      else if (isFrame(data)) this.acknowledge(data);
      return;
    }
    const message = JSON.parse(data) as FromStudio;
    if (message.type === "hello") this.welcome(message.session);
    else if (message.type === "done") return this.answer(message.id);
    else if (message.type === "refused") return this.refused(message.error, message.id);
    state.take(message);
    this.onMessage?.(message);
  }

  acknowledge(data: ArrayBuffer): void {
    const { number, side } = frameHead(data);
    this.post({ type: "ack", frame: number, side: side ? 1 : 0 });
  }

  private welcome(session: string): void {
    this.tries = 0;
    sessionStorage.setItem(SESSION, session);
    state.line = "open";
  }

  private refused(why: string, id: number | null): void {
    if (id !== null && this.waiting.has(id)) return this.answer(id, why);
    state.preview.clear();
    state.update();
    say(why, true);
  }

  private answer(id: number, problem?: string): void {
    const waits = this.waiting.get(id);
    this.waiting.delete(id);
    if (problem === undefined) waits?.done();
    else waits?.refused(new Error(problem));
  }

  private lost(code: number): void {
    for (const id of [...this.waiting.keys()]) this.answer(id, t("line.lost"));
    state.line = "lost";
    state.update();
    if (code === OVER) sessionStorage.removeItem(SESSION);
    if (code === ELSEWHERE) {
      // two windows cannot hold one session: this one begins its own
      sessionStorage.removeItem(SESSION);
    }
    if (code === FORBIDDEN) return say(t("line.forbidden"), true);
    if (code === DIED) say(t("line.died"));
    setTimeout(() => this.open(), TRIES[Math.min(this.tries++, TRIES.length - 1)]);
  }
}

export const link = new Link();

/** Sends an edit; what is refused is said. */
export function edit(message: ToStudio): void {
  link.send(message);
}

/** Carries something out and says what it was refused for; returns whether it was done. */
export async function attempt(message: ToStudio): Promise<boolean> {
  try {
    await link.ask(message);
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
    return false;
  }
}
