/** What is done with the project as a whole: files in and out, bodies that follow a slider, recordings. */
import type { SetMethod, SetMotion, SetPerson, ToStudio } from "../../shared/studio-messages";
import { say } from "./parts/say";
import { attempt, link } from "./scene/link";
import { state } from "./state";
import { t } from "./texts";

/** Takes files for what they are: they are put into the project's folder and opened. */
export async function openFiles(files: Iterable<File>): Promise<void> {
  for (const file of files) {
    try {
      state.working = { what: "sending", fraction: 0, words: t("file.sending", { name: file.name }) };
      state.update();
      await link.put(file.name, file);
      state.working = null;
      if (await attempt({ type: "open", file: file.name })) say(t("file.opened", { name: file.name }));
    } catch (error) {
      state.working = null;
      say(error instanceof Error ? error.message : String(error), true);
    }
    state.update();
  }
}

/** kept, or the browser may drop it while its window is open */
const input = document.createElement("input");
input.type = "file";
input.multiple = true;
input.addEventListener("change", () => {
  void openFiles([...(input.files ?? [])]);
  // the same file can be chosen again
  input.value = "";
});

export const chooseFiles = (): void => input.click();

export function startDrops(): void {
  const over = (on: boolean): boolean => document.body.classList.toggle("dropping", on);
  window.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over(true);
  });
  window.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) over(false);
  });
  window.addEventListener("drop", (event) => {
    over(false);
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void openFiles(event.dataTransfer.files);
  });
}

/** Brings a file of the folder to where the browser keeps downloads. */
export async function fetchFile(name: string): Promise<void> {
  try {
    const address = URL.createObjectURL(await link.get(name)), anchor = document.createElement("a");
    anchor.href = address;
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

const rows = new Set<() => void>();

/** What is still on its way when something is taken back does not come after it. */
export function dropRows(): void {
  for (const drop of rows) drop();
}

/** Sends the newest of a row of changes as soon as the one before was carried out; wanted: the values that are being changed. */
export function following(wanted: Record<string, unknown>, make: (group: string) => ToStudio): { change: () => void } {
  let group = "", busy = false, again = false, timer = 0;
  const forget = (): void => {
    for (const name of Object.keys(wanted)) delete wanted[name];
    state.update();
  };
  const go = async (): Promise<void> => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    do {
      again = false;
      await attempt(make(group));
    } while (again);
    busy = false;
    // from here on the project says what is
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      group = "";
      forget();
    }, PAUSE);
  };
  rows.add(() => {
    again = false;
    group = "";
    forget();
  });
  return {
    change: () => {
      clearTimeout(timer);
      group ||= `row-${Date.now()}`;
      void go();
    },
  };
}

/** what comes later is an undo step of its own [ms] */
const PAUSE = 700;

/** Fields of an edit that takes the whole record: what is not named stays. */
const record = <T>(value: Record<string, unknown> | undefined): T => Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => key !== "type")) as T;

export const person = (change: Partial<SetPerson>): ToStudio => ({ type: "set_person", ...record<SetPerson>(state.project?.person), ...change });
export const motion = (change: Partial<SetMotion>): ToStudio => ({ type: "set_motion", ...record<SetMotion>(state.project?.motion), ...change });
export const method = (change: Partial<SetMethod>): ToStudio => ({ type: "set_method", ...record<SetMethod>(state.project?.method), ...change });
