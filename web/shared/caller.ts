/** One request to the shop: the token against forged changes, problems as words, a lost connection told apart. */

export interface Call {
  method: string;
  path: string;
  json?: unknown;
  raw?: BodyInit;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** The shop said no, with a sentence for a person. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly place: string,
  ) {
    super(message);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  override name = "Unreachable";
}

export class Caller {
  private token: Promise<string> | undefined;
  private key = "";

  /** base: where the shop is, without a slash at the end; empty: here. */
  constructor(readonly base = "") {}

  /** The merchant's key, sent with every request from now on; empty: none. */
  setKey(key: string): void {
    this.key = key;
  }

  /** The token that every change carries; a new visitor gets a place of their own by asking. */
  csrf(): Promise<string> {
    this.token ??= this.send("GET", "/api/visitor", {}).then(async (answer) => {
      return ((await answer.json()) as { csrf: string }).csrf;
    });
    // asked again after a failure
    this.token.catch(() => (this.token = undefined));
    return this.token;
  }

  /** Forget the visitor, as after everything of theirs was deleted. */
  forget(): void {
    this.token = undefined;
  }

  protected async json<T>(call: Call): Promise<T> {
    return (await (await this.raw(call)).json()) as T;
  }

  protected async raw(call: Call): Promise<Response> {
    try {
      return await this.once(call);
    } catch (error) {
      // the visitor was deleted for not coming back, or the token is old: once more with a new one
      if (!(error instanceof Refusal) || !["unknown_visitor", "csrf"].includes(error.code)) throw error;
      this.forget();
      return this.once(call);
    }
  }

  private async once({ method, path, json, raw, query, headers: more }: Call): Promise<Response> {
    const headers: Record<string, string> = { ...more };
    if (this.key) headers["Authorization"] = `Bearer ${this.key}`;
    else headers["X-CSRF-Token"] = await this.csrf();
    const asked = Object.entries(query ?? {}).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [value].flat().map((v) => [name, String(v)]),
    );
    const address = asked.length ? `${path}?${new URLSearchParams(asked)}` : path;
    if (json !== undefined) headers["Content-Type"] = "application/json";
    const body = json !== undefined ? JSON.stringify(json) : raw;
    return this.send(method, address, body === undefined ? { headers } : { headers, body });
  }

  private async send(method: string, path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(this.base + path, { ...init, method, credentials: this.base ? "include" : "same-origin" }).catch((error: unknown) => {
      throw new Unreachable(String(error));
    });
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => ({}))) as { error?: string; code?: string; place?: string };
    throw new Refusal(said.error ?? answer.statusText, answer.status, said.code ?? "", said.place ?? "");
  }
}
