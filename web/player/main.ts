/** A page with one dressed body: `?src=look.play`, or what was put into the page itself. */
import { ToileViewer } from "toile-viewer";

const viewer = document.querySelector("toile-viewer");
if (viewer instanceof ToileViewer) start(viewer);

function start(viewer: ToileViewer): void {
  const inside = document.getElementById("recording")?.textContent;
  if (inside) void viewer.open(Uint8Array.from(atob(inside), (letter) => letter.charCodeAt(0)));
  else void viewer.open(new URLSearchParams(location.search).get("src") ?? "look.play");
}
