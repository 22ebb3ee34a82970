/** Two stages with one camera: whoever is turned leads, the other follows in the same picture. */
import type { Stage } from "toile-viewer";
import type { Fitting } from "./fitting";

export function twins(a: Fitting, b: Fitting): void {
  let last = "";
  const bind = (one: Fitting, other: Fitting): void => {
    one.onView = (stage: Stage) => {
      const { azimuth, elevation, distance } = stage.view;
      const now = [azimuth, elevation, distance].map((v) => v.toFixed(4)).join();
      if (now === last) return;
      last = now;
      other.holder.use((twin) => twin.glide({ azimuth, elevation, distance }, 0));
    };
  };
  bind(a, b);
  bind(b, a);
}
