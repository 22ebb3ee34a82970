/** The whole page in one file: what is shown stands in the page itself, so that it opens without a server. */
import EngineWorker from "../engine/src/worker?worker&inline";
import { ToileViewer } from "toile-viewer";

function inside(id: string): Uint8Array<ArrayBuffer> | null {
  const text = document.getElementById(id)?.textContent;
  return text ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) : null;
}

async function start(viewer: ToileViewer): Promise<void> {
  const recording = inside("recording"), scene = inside("scene"), engine = inside("engine");
  if (recording) void viewer.open(recording);
  if (scene && engine) await viewer.openScene(scene, await WebAssembly.compile(engine), () => new EngineWorker());
}

const viewer = document.querySelector("toile-viewer");
if (viewer instanceof ToileViewer) void start(viewer);
