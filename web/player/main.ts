/** A page with one dressed body: files beside it, `?src=…&scene=…`, or what was put into the page itself. */
import { ToileViewer } from "toile-viewer";

const viewer = document.querySelector("toile-viewer");
if (viewer instanceof ToileViewer) start(viewer);

function start(viewer: ToileViewer): void {
  const asked = new URLSearchParams(location.search);
  const src = asked.get("src") ?? viewer.dataset.src, scene = asked.get("scene") ?? viewer.dataset.scene;
  if (src) viewer.setAttribute("src", src);
  if (scene) void viewer.openScene(scene);
}
