/** Windows that float: export, the script, help. None of them asks whether one is sure: everything can be undone. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { allCommands, nameOf } from "../commands";
import { act, choiceRow } from "../parts/fields";
import { icon } from "../parts/icon";
import { say } from "../parts/say";
import { chooseFiles, fetchFile } from "../project";
import { attempt, link } from "../scene/link";
import { state } from "../state";
import { t, word } from "../texts";

const wish = { format: "glb", file: "" };

function open(title: string, content: () => TemplateResult): () => void {
  const dialog = document.getElementById("dialog") as HTMLDialogElement;
  const draw = (): void => void render(html`<header><h2>${title}</h2><button class="small bare" aria-label=${t("close")} @click=${() => dialog.close()}>${icon("close")}</button></header><div class="dialog-body">${content()}</div>`, dialog);
  draw();
  if (!dialog.open) dialog.showModal();
  return draw;
}

export function openExport(): void {
  const draw = open(t("export.title"), () => {
    const recordings = state.files.filter((name) => name.endsWith(".toile"));
    return html`
      ${choiceRow(t("export.what"), [["", t("export.now")], ...recordings.map((name) => [name, name] as const)], wish.file, (file) => { wish.file = file; draw(); })}
      ${choiceRow(t("export.format"), (state.hello?.formats ?? []).map((name) => [name, word(`format.${name}`, name.toUpperCase())] as const), wish.format, (format) => { wish.format = format; draw(); })}
      <p class="hint">${t("export.hint")}</p>
      <div class="acts">${act(t("export.go"), "download", () => void go(), { main: true })}</div>`;
  });
  const go = async (): Promise<void> => {
    (document.getElementById("dialog") as HTMLDialogElement).close();
    say(t("export.begun"));
    await attempt({ type: "export", format: wish.format, file: wish.file });
  };
}

/** A file was written: exports come to the person at once, the rest is told. */
export function fileWritten(name: string, kind: string): void {
  if (kind === "export" || kind === "script") void fetchFile(name);
  say(t(kind === "project" ? "file.saved" : "file.written", { name }), false, kind === "project" ? undefined : { label: t("file.fetch"), run: () => void fetchFile(name) });
}

let redraw: (() => void) | null = null;

export function openScript(): void {
  link.send({ type: "ask_script" });
  redraw = open(t("script.title"), () => {
    const text = state.script?.text ?? "";
    const copy = async (): Promise<void> => {
      await navigator.clipboard.writeText(text);
      say(t("script.copied"));
    };
    return html`<p class="hint">${t("script.hint")}</p>
      ${text ? html`<pre class="code" tabindex="0" aria-label=${t("script.title")}><code>${text}</code></pre>` : html`<div class="bones"></div>`}
      <div class="acts">${act(t("script.copy"), "copy", () => void copy(), { main: true })} ${act(t("script.save"), "download", () => saveText("garment.py", text))}</div>`;
  });
}

export const scriptCame = (): void => redraw?.();

function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/x-python" })), anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function openHelp(): void {
  const keyed = allCommands().filter((one) => one.key);
  open(t("help.title"), () => html`<p>${t("help.text")}</p>
    <dl class="keys">${keyed.map((one) => html`<div><dt>${nameOf(one)}</dt><dd><kbd>${one.key}</kbd></dd></div>`)}</dl>
    <p class="hint">${t("help.mouse")}</p>`);
}

export function openProjects(): void {
  open(t("open.title"), () => {
    const names = state.files;
    const take = async (name: string): Promise<void> => {
      (document.getElementById("dialog") as HTMLDialogElement).close();
      await attempt({ type: "open", file: name });
    };
    return html`<p class="hint">${t("open.hint")}</p>
      <div class="acts">${act(t("open.choose"), "upload", chooseFiles, { main: true })}</div>
      <ul class="list">${names.map((name) => html`<li><button class="line-button" @click=${() => void take(name)}>${icon("folder")}<span>${name}</span></button>
        <button class="small bare" aria-label=${t("file.fetch.name", { name })} data-tip=${t("file.fetch")} @click=${() => void fetchFile(name)}>${icon("download")}</button></li>`)}</ul>
      ${names.length ? nothing : html`<p class="hint">${t("open.none")}</p>`}`;
  });
}
