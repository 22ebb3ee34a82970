/** Where a dragged corner comes to lie: on another corner, in line with one, on the half centimetre. */
import type { Point } from "./model";

export interface Snapped {
  at: Point;
  /** lines to be drawn to what it was snapped to */
  guides: [Point, Point][];
}

/** near: how far a snap reaches [m]; grid: 0 for none [m] */
export function snap(p: Point, others: readonly Point[], near: number, grid: number): Snapped {
  const close = others.find((o) => Math.hypot(o[0] - p[0], o[1] - p[1]) < near);
  if (close) return { at: close, guides: [] };
  const level = (axis: 0 | 1): Point | undefined =>
    others.filter((o) => Math.abs(o[axis] - p[axis]) < near).sort((a, b) => Math.abs(a[axis] - p[axis]) - Math.abs(b[axis] - p[axis]))[0];
  const [upright, flat] = [level(0), level(1)];
  const onGrid = (value: number): number => (grid ? Math.round(value / grid) * grid : value);
  const at: Point = [upright ? upright[0] : onGrid(p[0]), flat ? flat[1] : onGrid(p[1])];
  return { at, guides: [upright, flat].flatMap((o): [Point, Point][] => (o ? [[o, at]] : [])) };
}
