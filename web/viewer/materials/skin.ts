/** The mannequin: matt skin in one of several tones, and a fitted underlayer in a tone beside it. */
import * as THREE from "three";

/** Skin tones to choose from, "#rrggbb", and the underlayer's tone beside each. */
export const TONES: readonly (readonly [string, string])[] = [
  ["#dbc3b4", "#cfc8be"], ["#c6a793", "#c2b8ac"], ["#a8846f", "#b3a698"], ["#7d5e4f", "#998b7f"], ["#594238", "#7b7067"], ["#3e2e28", "#645a54"],
];

/** what the cut of the underlayer goes by */
export interface Figure {
  /** sole, height, middle from front to back [m]; armpit beside the middle and above the sole, in shares of the height */
  readonly values: readonly [number, number, number, number, number];
  /** how much each vertex belongs to an arm, 0 … 1 */
  readonly arm: Float32Array;
}

/** arms in shares of the height: farther out than this at rest */
const ARM = 0.1;
/** rounds in which normals are evened out */
const EVENINGS = 8;

/** Finds what the underlayer's cut needs; vertices: the body at rest, arms a little away from it [m]. */
export function figureOf(vertices: Float32Array, joints?: Uint16Array, weights?: Float32Array): Figure {
  let low = Infinity, high = -Infinity;
  for (let i = 1; i < vertices.length; i += 3) {
    low = Math.min(low, vertices[i]!);
    high = Math.max(high, vertices[i]!);
  }
  const tall = Math.max(high - low, 1e-6), arm = joints && weights ? armShares(vertices, joints, weights, low, tall) : new Float32Array(vertices.length / 3);
  // the armpit is the lowest place where an arm's skin goes over into the trunk's
  let pit = [0.105, 0.74], front = -Infinity, back = Infinity, lowest = Infinity;
  for (let v = 0; v < arm.length; v++) {
    const [x, y, z] = [Math.abs(vertices[3 * v]!) / tall, (vertices[3 * v + 1]! - low) / tall, vertices[3 * v + 2]!];
    if (y > 0.7 && y < 0.8 && x < 0.1) [front, back] = [Math.max(front, z), Math.min(back, z)];
    if (arm[v]! > 0.35 && arm[v]! < 0.65 && y < lowest) [lowest, pit] = [y, [x, y]];
  }
  return { values: [low, tall, front > back ? (front + back) / 2 : 0, pit[0]!, pit[1]!], arm };
}

function armShares(vertices: Float32Array, joints: Uint16Array, weights: Float32Array, low: number, tall: number): Float32Array {
  const most = joints.reduce((a, b) => Math.max(a, b), 0) + 1, sums = new Float64Array(3 * most);
  for (let k = 0; k < joints.length; k++) {
    const v = Math.floor(k / 8), w = weights[k]!, j = 3 * joints[k]!;
    sums[j]! += w * Math.abs(vertices[3 * v]!);
    sums[j + 1]! += w * (vertices[3 * v + 1]! - low);
    sums[j + 2]! += w;
  }
  const isArm = Array.from({ length: most }, (_, j) => {
    const total = Math.max(sums[3 * j + 2]!, 1e-9);
    return sums[3 * j]! / total > ARM * tall && sums[3 * j + 1]! / total > 0.2 * tall;
  });
  const out = new Float32Array(vertices.length / 3);
  for (let k = 0; k < joints.length; k++) if (isArm[joints[k]!]) out[Math.floor(k / 8)]! += weights[k]!;
  return out;
}

/** Firm cloth does not show what is small below it: normals under it are evened out with their neighbours'. */
export function smoothUnder(normals: Float32Array, vertices: Float32Array, triangles: Uint32Array, { values, arm }: Figure): void {
  const [low, tall] = values, sums = new Float32Array(normals.length);
  const below = Uint8Array.from(arm, (share, v) => {
    const y = (vertices[3 * v + 1]! - low) / tall;
    return Number(y > 0.44 && y < 0.77 && share < 0.5);
  });
  const ours = triangles.filter((_, k) => below[triangles[k - (k % 3)]!] && below[triangles[k - (k % 3) + 1]!] && below[triangles[k - (k % 3) + 2]!]);
  for (let round = 0; round < EVENINGS; round++) {
    sums.fill(0);
    for (let t = 0; t < ours.length; t += 3) {
      const [a, b, c] = [3 * ours[t]!, 3 * ours[t + 1]!, 3 * ours[t + 2]!];
      for (let k = 0; k < 3; k++) {
        const sum = normals[a + k]! + normals[b + k]! + normals[c + k]!;
        sums[a + k]! += sum; sums[b + k]! += sum; sums[c + k]! += sum;
      }
    }
    for (let v = 0; v < below.length; v++) {
      const [x, y, z] = [sums[3 * v]!, sums[3 * v + 1]!, sums[3 * v + 2]!], size = Math.hypot(x, y, z);
      if (!below[v] || size < 1e-9) continue;
      normals[3 * v] = x / size; normals[3 * v + 1] = y / size; normals[3 * v + 2] = z / size;
    }
  }
}

/**
 * The cut, drawn for each pixel so that its edges are smooth whatever the mesh: a vest with straps and short legs.
 * Lengths in shares of the height; above 0 the cloth is there.
 */
const CUT = /* glsl */ `
uniform vec3 layer;
uniform float figure[5];
varying vec3 restAt;
varying float armAt;
float inUnderlayer() {
  float x = abs(restAt.x) / figure[1], y = (restAt.y - figure[0]) / figure[1];
  float behind = smoothstep(0.02, -0.02, restAt.z - figure[2]);
  // neckline: deep in front, higher at the back, round at its corners
  vec2 at = vec2(x - 0.036, mix(0.752, 0.79, behind) - y) + 0.02;
  float neck = length(max(at, 0.0)) + min(max(at.x, at.y), 0.0) - 0.02;
  // armhole: from the strap's outer end inwards and round to just below the armpit
  float up = clamp((y - figure[4] + 0.012) / (0.83 - figure[4] + 0.012), 0.0, 1.0);
  float out_ = mix(figure[3] + 0.012, 0.078, 1.0 - (1.0 - up) * (1.0 - up) * (1.0 - up)) - x;
  float arm = y > figure[4] - 0.012 ? out_ : 0.1 * (0.5 - armAt);
  return min(min(y - 0.43 - 0.1 * x, neck), min(arm, 0.845 - y));
}
`;

/** Lets a skin material wear the underlayer: geometry needs an attribute `arm`, see figureOf. */
export function wearUnderlayer(shader: { vertexShader: string; fragmentShader: string; uniforms: Record<string, THREE.IUniform> }, layer: THREE.Color, figure: { value: readonly number[] }): void {
  shader.uniforms["layer"] = { value: layer };
  shader.uniforms["figure"] = figure;
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "#include <common>\nattribute float arm;\nvarying vec3 restAt;\nvarying float armAt;")
    .replace("#include <project_vertex>", "restAt = position;\narmAt = arm;\n#include <project_vertex>");
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", `#include <common>\n${CUT}`)
    .replace("#include <map_fragment>", `#include <map_fragment>
      float wornAt = inUnderlayer();
      float edge = max(fwidth(wornAt), 1e-6), inLayer = clamp(0.5 + wornAt / edge, 0.0, 1.0);
      diffuseColor.rgb = mix(diffuseColor.rgb, layer, inLayer);
      // a narrow turned edge
      diffuseColor.rgb *= 1.0 - 0.14 * inLayer * (1.0 - smoothstep(0.0, 0.0045, wornAt));`)
    .replace("#include <roughnessmap_fragment>", "#include <roughnessmap_fragment>\nroughnessFactor = mix(roughnessFactor, 0.92, inLayer);");
}
