/** The values of a fit map, one a particle of the recordings, 0 loose … 1 too tight. */
import type { FitMap } from "../../../shared/api";

export function readFit(data: ArrayBuffer, fit: FitMap): Float32Array {
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as { count: number; layers: string[] };
  const at = head.layers.indexOf("stretch");
  if (at < 0) throw new Error("the fit map tells no stretch");
  const padded = head.count + ((4 - (head.count % 4)) % 4);
  const steps = new Uint8Array(data, 4 + length + at * padded, head.count);
  const stops = fit.layers.find((layer) => layer.name === "stretch")?.stops ?? [0.2, 0.4, 0.6, 0.8];
  return Float32Array.from(steps, (step) => evenly(step / 255, stops));
}

/** Give each word of the legend a fifth of the colours, wherever the stops between words are. */
function evenly(value: number, stops: number[]): number {
  const edges = [0, ...stops, 1];
  for (let i = 0; i + 1 < edges.length; i++) {
    const low = edges[i] ?? 0;
    const high = edges[i + 1] ?? 1;
    if (value <= high || i + 2 === edges.length) return (i + Math.min((value - low) / Math.max(high - low, 1e-6), 1)) / (edges.length - 1);
  }
  return 1;
}
