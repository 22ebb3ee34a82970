/** Binary messages of the studio: meshes and frames, see docs/studio-protocol.md. */

export interface Frame {
  readonly side: number;
  readonly mesh: number;
  readonly number: number;
  readonly bodyMesh: number;
  readonly time: number;
  readonly overlayKind: number;
  readonly running: boolean;
  readonly sewing: boolean;
  readonly asleep: boolean;
  readonly recorded: boolean;
  /** id of the newest message that it takes into account */
  readonly answers: number;
  readonly took: number;
  readonly positions: Float32Array;
  readonly joints: Float32Array | null;
  readonly overlay: Uint8Array | null;
}

export interface MeshHead {
  readonly kind: "cloth" | "body" | "scene";
  readonly side: number;
  readonly mesh: number;
  readonly file: Uint8Array;
}

const HEAD = 64, KINDS = { 1: "cloth", 2: "body", 4: "scene" } as const;

export const isFrame = (data: ArrayBuffer): boolean => data.byteLength >= HEAD && new DataView(data).getUint8(0) === 3;

export function readMeshHead(data: ArrayBuffer): MeshHead | null {
  if (data.byteLength < 16) return null;
  const view = new DataView(data), kind = KINDS[view.getUint8(0) as keyof typeof KINDS];
  if (!kind || view.getUint8(1) !== 1) return null;
  return { kind, side: view.getUint16(2, true), mesh: view.getUint32(4, true), file: new Uint8Array(data, 16) };
}

/** Whose frame it is, without unpacking it: what came too late is acknowledged only. */
export function frameHead(data: ArrayBuffer): { side: number; mesh: number; number: number } {
  const view = new DataView(data);
  return { side: view.getUint16(2, true), mesh: view.getUint32(4, true), number: view.getUint32(8, true) };
}

export function readFrame(data: ArrayBuffer): Frame | null {
  const view = new DataView(data);
  if (view.getUint8(1) !== 1) return null;
  const count = view.getUint32(48, true), jointCount = view.getUint16(52, true), overlayKind = view.getUint8(54), flags = view.getUint8(55);
  const jointsAt = padded(HEAD + 6 * count), overlayAt = padded(jointsAt + 48 * jointCount);
  if (data.byteLength < overlayAt - 3 + (overlayKind ? count : 0)) return null;
  const low = [24, 28, 32].map((at) => view.getFloat32(at, true)), high = [36, 40, 44].map((at) => view.getFloat32(at, true));
  const steps = new Int16Array(data, HEAD, 3 * count), positions = new Float32Array(3 * count);
  for (let k = 0; k < 3; k++) {
    const step = (high[k]! - low[k]!) / 65535, from = low[k]!;
    for (let i = k; i < positions.length; i += 3) positions[i] = from + (steps[i]! + 32768) * step;
  }
  return {
    side: view.getUint16(2, true), mesh: view.getUint32(4, true), number: view.getUint32(8, true), bodyMesh: view.getUint32(12, true), time: view.getFloat64(16, true),
    overlayKind, running: (flags & 1) > 0, sewing: (flags & 2) > 0, asleep: (flags & 4) > 0, recorded: (flags & 8) > 0, answers: view.getUint32(56, true), took: view.getFloat32(60, true),
    positions, joints: jointCount ? new Float32Array(data.slice(jointsAt, jointsAt + 48 * jointCount)) : null,
    overlay: overlayKind ? new Uint8Array(data, overlayAt, count) : null,
  };
}

const padded = (at: number): number => Math.ceil(at / 4) * 4;
