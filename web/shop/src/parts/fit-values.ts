/** A layer of a fit map, one value a particle of the recordings, 0 … 1: loose to too tight, or far to touching. */
import type { FitLayer, FitMap } from "../../../shared/api";

export function readFit(data: ArrayBuffer, fit: FitMap, name: FitLayer["name"]): Float32Array {
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as { count: number; layers: string[] };
  const at = head.layers.indexOf(name);
  if (at < 0) throw new Error("the fit map has no such layer");
  const padded = head.count + ((4 - (head.count % 4)) % 4);
  const steps = new Uint8Array(data, 4 + length + at * padded, head.count);
  const layer = fit.layers.find((one) => one.name === name);
  if (!layer) throw new Error("the fit map has no such layer");
  const stops = layer.stops.map((stop) => (stop - layer.low) / (layer.high - layer.low));
  const shares = Float32Array.from(steps, (step) => evenly(step / 255, stops));
  // what touches the skin is at the same end of the colours as what is tight
  return name === "distance" ? shares.map((share) => 1 - share) : shares;
}

/** The same values in the order in which scenes have the particles. */
export function inSceneOrder(data: ArrayBuffer, fit: FitMap, values: Float32Array): Float32Array {
  const length = new DataView(data).getUint32(0, true);
  const padded = values.length + ((4 - (values.length % 4)) % 4);
  const at = 4 + length + fit.layers.length * padded;
  const out = new Float32Array(values.length);
  // maps of outfits that were sewn by earlier versions end here
  if (data.byteLength < at + 4 * values.length) return out;
  const order = new Uint32Array(data, at, values.length);
  values.forEach((value, i) => (out[order[i] ?? 0] = value));
  return out;
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
