/** Bodies as the server sends them: a description as JSON behind its length, then blocks of numbers. */
import type { BodyMesh } from "toile-viewer";

export interface BodyHead {
  count: number;
  low: [number, number, number];
  high: [number, number, number];
  measures: Record<string, number>;
  notes?: string[];
  tapes?: Record<string, Tape>;
}

/** Where a measure is taken: points part of the way from one vertex to another. */
export interface Tape {
  start: number[];
  end: number[];
  share: number[];
  closed: boolean;
}

/** A tape as it lies on a skin, 3 numbers a point [m]. */
export function layTape({ start, end, share, closed }: Tape, vertices: Float32Array): Float32Array {
  const count = start.length + (closed ? 1 : 0);
  const out = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const k = i % start.length;
    const [a, b, part] = [3 * (start[k] ?? 0), 3 * (end[k] ?? 0), share[k] ?? 0];
    for (let axis = 0; axis < 3; axis++) {
      const from = vertices[a + axis] ?? 0;
      out[3 * i + axis] = from + part * ((vertices[b + axis] ?? 0) - from);
    }
  }
  return out;
}

interface MeshHead {
  vertices: number;
  triangles: number;
  influences: number;
  joints: string[];
}

const STEPS = 65535;
const INFLUENCES = 8;

function split<Head>(data: ArrayBuffer): { head: Head; start: number } {
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Head;
  return { head, start: 4 + length };
}

/** Rest positions [m] and what was said about them. */
export function readVertices(data: ArrayBuffer): { head: BodyHead; vertices: Float32Array } {
  const { head, start } = split<BodyHead>(data);
  const steps = new Uint16Array(data, start, 3 * head.count);
  const vertices = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i++) {
    const axis = i % 3;
    const low = head.low[axis] ?? 0;
    vertices[i] = low + ((steps[i] ?? 0) / STEPS) * ((head.high[axis] ?? 0) - low);
  }
  return { head, vertices };
}

/** A body at rest with what moves it; bodies from measures share all but the vertices. */
export function readBodyMesh(data: ArrayBuffer, vertices: Float32Array): BodyMesh {
  const { head, start } = split<MeshHead>(data);
  let at = start;
  const block = (bytes: number): number => {
    const from = at;
    at += bytes + ((4 - (bytes % 4)) % 4);
    return from;
  };
  const triangles = new Uint32Array(data, block(12 * head.triangles), 3 * head.triangles);
  block(head.vertices);
  const count = head.vertices * head.influences;
  const joint = new Uint16Array(data, block(2 * count), count);
  const weight = new Float32Array(data, block(4 * count), count);
  const { joints, weights } = strongest(joint, weight, head.influences);
  return { vertices, triangles, joints, weights, jointCount: head.joints.length };
}

/** The eight strongest joints of each vertex; shares sum to 1. */
function strongest(joint: Uint16Array, weight: Float32Array, width: number): { joints: Uint16Array; weights: Float32Array } {
  const count = weight.length / width;
  const joints = new Uint16Array(INFLUENCES * count);
  const weights = new Float32Array(INFLUENCES * count);
  for (let v = 0; v < count; v++) {
    const order = Array.from({ length: width }, (_, k) => v * width + k).sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0));
    const used = order.slice(0, INFLUENCES);
    const total = used.reduce((sum, k) => sum + (weight[k] ?? 0), 0) || 1;
    used.forEach((k, i) => {
      joints[INFLUENCES * v + i] = joint[k] ?? 0;
      weights[INFLUENCES * v + i] = (weight[k] ?? 0) / total;
    });
  }
  return { joints, weights };
}
