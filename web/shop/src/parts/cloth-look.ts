/** A colour way of the catalogue on a fabric, as the stage takes it. */
import type { MaterialSpec } from "toile-viewer";
import type { ColourWay } from "../../../shared/api";

export function clothLook(way: ColourWay, fabric: string): MaterialSpec {
  const width = way.repeat ?? 0.02;
  const print = way.print === "plain" ? undefined : way.print;
  return {
    fabric,
    color: way.colour,
    ...(print === "image"
      ? way.image_url
        ? { print: way.image_url, printWidth: width, printHeight: width }
        : {}
      : print
        ? { pattern: print, second: way.second ?? way.colour, printWidth: width, printHeight: width }
        : {}),
  };
}
