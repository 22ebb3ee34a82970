/** The last half minute of figures, for the graphs. */
import type { Frame } from "./frame";
import type { Status } from "../../../shared/studio-messages";

const LONG = 120;
export const GRAPHS = ["energy", "stretch", "frame"] as const;
export type GraphName = (typeof GRAPHS)[number];

class History {
  readonly energy: number[] = [];
  readonly stretch: number[] = [];
  readonly frame: number[] = [];

  take(frame: Frame): void {
    this.push(this.frame, frame.took);
  }

  note(status: Status): void {
    this.push(this.energy, status.energy);
    this.push(this.stretch, status.stretch);
  }

  private push(list: number[], value: number): void {
    list.push(value);
    if (list.length > LONG) list.shift();
  }
}

export const history = new History();
