/** Plain short hair of our own making: the scalp's skin again, lifted off the head, combed back. */
import * as THREE from "three";

export const HAIR = "#3d2e25";
/** share of the height from chin to crown, after Drillis and Contini's 0.130 */
const HEAD = 0.13;
/** how far it stands off where it is thickest, in shares of the height */
const THICK = 0.011;
/** angle from the face [degrees] and how high the hair begins there, 0 chin … 1 crown: forehead, temple, ear, behind it, nape */
const HAIRLINE: readonly (readonly [number, number])[] = [[0, 0.83], [35, 0.8], [58, 0.7], [80, 0.6], [105, 0.59], [128, 0.4], [155, 0.24], [180, 0.2]];

export interface Scalp {
  /** vertex of the body that each point of the hair lies over */
  readonly on: Uint32Array;
  readonly triangles: Uint32Array;
  /** places at rest [m], 3 each */
  readonly places: Float32Array;
  /** how far above the hairline, in shares of the head's height; below 0 there is none */
  readonly above: Float32Array;
}

/** Finds the scalp of a body at rest with its skin's normals; null: nothing that looks like a head. */
export function scalpOf(vertices: Float32Array, normals: Float32Array, triangles: Uint32Array): Scalp | null {
  const head = headOf(vertices);
  if (!head) return null;
  const above = new Float32Array(vertices.length / 3).fill(-1);
  for (let v = 0; v < above.length; v++) above[v] = aboveHairline(head, vertices, v);
  const number = new Map<number, number>(), on: number[] = [], kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t]!, triangles[t + 1]!, triangles[t + 2]!];
    if (!corners.every((v) => above[v]! > -0.06)) continue;
    for (const v of corners) {
      if (!number.has(v)) number.set(v, on.push(v) - 1);
      kept.push(number.get(v)!);
    }
  }
  if (!kept.length) return null;
  const places = new Float32Array(3 * on.length);
  on.forEach((v, i) => {
    const lift = liftAt(above[v]!) * head.tall;
    for (let k = 0; k < 3; k++) places[3 * i + k] = vertices[3 * v + k]! + lift * normals[3 * v + k]!;
  });
  return { on: Uint32Array.from(on), triangles: Uint32Array.from(kept), places, above: Float32Array.from(on, (v) => above[v]!) };
}

interface Head { readonly chin: number; readonly height: number; readonly middle: number; readonly tall: number }

function headOf(vertices: Float32Array): Head | null {
  let low = Infinity, high = -Infinity;
  for (let i = 1; i < vertices.length; i += 3) [low, high] = [Math.min(low, vertices[i]!), Math.max(high, vertices[i]!)];
  const tall = high - low, height = HEAD * tall;
  let front = -Infinity, back = Infinity, wide = 0;
  for (let v = 0; v < vertices.length; v += 3) {
    if (vertices[v + 1]! < high - 0.4 * height) continue;
    front = Math.max(front, vertices[v + 2]!);
    back = Math.min(back, vertices[v + 2]!);
    wide = Math.max(wide, Math.abs(vertices[v]!));
  }
  const deep = front - back;
  // a head is about as deep as it is high, and narrower
  if (!(deep > 0.5 * height && deep < 1.5 * height && wide > 0.2 * height && wide < 0.7 * height)) return null;
  return { chin: high - height, height, middle: (front + back) / 2, tall };
}

function aboveHairline(head: Head, vertices: Float32Array, v: number): number {
  const [x, y, z] = [vertices[3 * v]!, vertices[3 * v + 1]!, vertices[3 * v + 2]!];
  const up = (y - head.chin) / head.height;
  if (up < 0 || Math.abs(x) > head.height) return -1;
  const angle = (180 / Math.PI) * Math.atan2(Math.abs(x), z - head.middle);
  const next = Math.max(HAIRLINE.findIndex(([a]) => a >= angle), 1), [a, low] = HAIRLINE[next - 1]!, [b, high] = HAIRLINE[next]!;
  const share = (angle - a) / (b - a), soft = share * share * (3 - 2 * share);
  return up - (low + soft * (high - low));
}

/** Close to the skin at its edge, full on the crown. */
function liftAt(above: number): number {
  const share = Math.min(Math.max(above / 0.3, 0), 1);
  return THICK * (0.1 + 0.9 * share * (2 - share));
}

/** Strands: fine stripes that run from the forehead to the nape, lighter and darker, with the gloss they have. */
export function hairMaterial(): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ color: HAIR, roughness: 0.6, side: THREE.DoubleSide });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float above;\nvarying vec3 hairAt;\nvarying float aboveAt;")
      .replace("#include <project_vertex>", "hairAt = position;\naboveAt = above;\n#include <project_vertex>");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>
        varying vec3 hairAt;
        varying float aboveAt;
        float noise(float x) { float i = floor(x), f = fract(x); f = f * f * (3.0 - 2.0 * f);
          return mix(fract(sin(i * 127.1) * 43758.5), fract(sin((i + 1.0) * 127.1) * 43758.5), f); }`)
      .replace("#include <map_fragment>", `#include <map_fragment>
        float across = hairAt.x * 1000.0 + 2.5 * sin(hairAt.z * 60.0 + hairAt.y * 40.0);
        float strand = 0.6 * noise(across * 0.9) + 0.4 * noise(across * 0.27 + 31.0);
        // strands end at different heights
        if (aboveAt < 0.022 * noise(across * 2.1 + 7.0) - 0.004) discard;
        diffuseColor.rgb *= 0.62 + 0.7 * strand;`)
      .replace("#include <roughnessmap_fragment>", "#include <roughnessmap_fragment>\nroughnessFactor = mix(0.5, 0.8, strand);");
  };
  return material;
}
