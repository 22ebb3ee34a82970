import { numbers, ToileError, wholes, type Block } from "toile-engine";
import type { BodyMesh, ClothMesh, ClothPart, MaterialSpec } from "./types";

const MOST_POINTS = 2_000_000;

/** Reads the garments of a file's first block; count: how many particles there are. */
export function readCloth(head: Block, count: number): ClothMesh {
  if (count > MOST_POINTS) throw new ToileError("the file holds more cloth than this page takes");
  const particle = Uint32Array.from(wholes(head, "particle", 1, 0, count - 1));
  const uv = numbers(head, "uv", 2, 1e3);
  if (uv.length !== 2 * particle.length) throw new ToileError("the file's cloth does not fit together");
  const triangles = Uint32Array.from(wholes(head, "triangles", 3, 0, particle.length - 1));
  return { particleCount: count, pointParticle: particle, uv, triangles, parts: readParts(head.meta.parts, triangles.length / 3) };
}

/** Reads the body of a file's first block, if it has one. */
export function readBody(head: Block): BodyMesh | null {
  if (!head.arrays.has("body.vertices")) return null;
  const vertices = numbers(head, "body.vertices", 3, 1e3), count = vertices.length / 3;
  if (count > MOST_POINTS) throw new ToileError("the file holds a body that is too large for this page");
  const triangles = Uint32Array.from(wholes(head, "body.triangles", 3, 0, count - 1));
  const jointCount = wholes(head, "body.count", 1, 1, 1024)[0] ?? 0;
  const joints = Uint16Array.from(wholes(head, "body.joint", 8, 0, jointCount - 1));
  const weights = unitRows(numbers(head, "body.weight", 8, 65535));
  if (joints.length !== 8 * count || weights.length !== 8 * count) throw new ToileError("the file's body does not fit together");
  return { vertices, triangles, joints, weights, jointCount };
}

/** Reads the body that a scene is computed with: any number of joints a vertex, of which the eight strongest are drawn. */
export function sceneBody(block: Block, jointCount: number): BodyMesh {
  const vertices = numbers(block, "body.vertices", 3, 1e3), count = vertices.length / 3;
  const triangles = Uint32Array.from(wholes(block, "skin.triangles", 3, 0, count - 1));
  const joint = wholes(block, "joints.vertex", 1, 0, jointCount - 1), weight = numbers(block, "joints.weight", 1, 2);
  const width = joint.length / Math.max(count, 1);
  if (!Number.isInteger(width) || weight.length !== joint.length) throw new ToileError("the scene's body does not fit together");
  const joints = new Uint16Array(8 * count), weights = new Float32Array(8 * count);
  for (let v = 0; v < count; v++) {
    const order = Array.from({ length: width }, (_, k) => width * v + k).sort((a, b) => weight[b]! - weight[a]!).slice(0, 8);
    order.forEach((at, k) => {
      joints[8 * v + k] = joint[at]!;
      weights[8 * v + k] = weight[at]!;
    });
  }
  return { vertices, triangles, joints, weights: unitRows(weights), jointCount };
}

/** The body of a scene that lives. */
export function liveBody(scene: { head: Block; body: Block | null; jointCount: number }): BodyMesh | null {
  return scene.body ? sceneBody(scene.body, scene.jointCount) : readBody(scene.head);
}

function unitRows(values: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  for (let at = 0; at < out.length; at += 8) {
    let sum = 0;
    for (let k = 0; k < 8; k++) sum += values[at + k]!;
    for (let k = 0; k < 8; k++) out[at + k] = values[at + k]! / Math.max(sum, 1e-9);
  }
  return out;
}

function readParts(list: unknown, triangleCount: number): ClothPart[] {
  if (!Array.isArray(list) || list.length > 1000) throw new ToileError("the file does not say what its cloth is made of");
  return list.map((item: unknown) => {
    const { name, start, count, garment, material } = (item ?? {}) as Record<string, unknown>;
    const fits = Number.isInteger(start) && Number.isInteger(count) && (start as number) >= 0 && (count as number) > 0;
    if (!fits || (start as number) + (count as number) > triangleCount) throw new ToileError("the file does not say what its cloth is made of");
    return { name: String(name).slice(0, 80), start: start as number, count: count as number, garment: Number.isInteger(garment) ? (garment as number) : 0, material: readMaterial(material) };
  });
}

/** Takes over what is known and sensible: a file cannot name addresses. */
export function readMaterial(value: unknown): MaterialSpec {
  const from = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const out: Record<string, string | number> = {};
  for (const name of ["color", "sheenColor"]) {
    const color = from[name];
    if (typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color)) out[name] = color;
  }
  if (typeof from.fabric === "string" && /^[a-z0-9-]{1,40}$/.test(from.fabric)) out["fabric"] = from.fabric;
  for (const name of ["roughness", "sheen", "anisotropy", "opacity"]) {
    const share = from[name];
    if (typeof share === "number" && share >= 0 && share <= 1) out[name] = share;
  }
  return out;
}
