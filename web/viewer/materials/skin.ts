/** The mannequin: matt skin in one of several tones, and a fitted underlayer in a tone beside it. */
import * as THREE from "three";

/** Skin tones to choose from, "#rrggbb", and the underlayer's tone beside each. */
export const TONES: readonly (readonly [string, string])[] = [
  ["#dbc3b4", "#cfc8be"], ["#c6a793", "#c2b8ac"], ["#a8846f", "#b3a698"], ["#7d5e4f", "#998b7f"], ["#594238", "#7b7067"], ["#3e2e28", "#645a54"],
];

const LEG_END = 0.415, NECK = 0.79, STRAP = 0.042, ARM = 0.1;

/**
 * How far inside the underlayer each vertex lies, in shares of the body's height; below 0 it is bare.
 *
 * vertices: the body at rest, arms a little away from it [m]. An arm's joints are those whose skin lies out
 * at the side, above the feet.
 */
export function underlayer(vertices: Float32Array, joints?: Uint16Array, weights?: Float32Array): Float32Array {
  const count = vertices.length / 3;
  let low = Infinity, high = -Infinity;
  for (let i = 1; i < vertices.length; i += 3) {
    low = Math.min(low, vertices[i]!);
    high = Math.max(high, vertices[i]!);
  }
  const tall = Math.max(high - low, 1e-6), arm = joints && weights ? armShares(vertices, joints, weights, low, tall) : null;
  const out = new Float32Array(count);
  for (let v = 0; v < count; v++) {
    const x = Math.abs(vertices[3 * v]!) / tall, y = (vertices[3 * v + 1]! - low) / tall;
    const scoop = NECK - 0.022 + (vertices[3 * v + 2]! > 0 ? -0.012 : 0.018);
    const neck = Math.max(x - STRAP - 0.4 * Math.max(y - NECK, 0), scoop - y);
    const sleeve = arm ? 0.1 * (0.3 - arm[v]!) : 0.12 - x;
    out[v] = Math.min(y - LEG_END, neck, sleeve, 0.845 - y);
  }
  return out;
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

/** Lets a skin material wear the underlayer: geometry needs an attribute `worn` as underlayer() gives it. */
export function wearUnderlayer(shader: { vertexShader: string; fragmentShader: string; uniforms: Record<string, THREE.IUniform> }, layer: THREE.Color): void {
  shader.uniforms["layer"] = { value: layer };
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "#include <common>\nattribute float worn;\nvarying float wornAt;")
    .replace("#include <project_vertex>", "wornAt = worn;\n#include <project_vertex>");
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", "#include <common>\nuniform vec3 layer;\nvarying float wornAt;")
    .replace("#include <map_fragment>", `#include <map_fragment>
      float edge = max(fwidth(wornAt), 1e-6), inLayer = clamp(0.5 + wornAt / edge, 0.0, 1.0);
      diffuseColor.rgb = mix(diffuseColor.rgb, layer, inLayer);
      // a narrow turned edge
      diffuseColor.rgb *= 1.0 - 0.16 * inLayer * (1.0 - smoothstep(0.0, 0.0045, wornAt));`)
    .replace("#include <roughnessmap_fragment>", "#include <roughnessmap_fragment>\nroughnessFactor = mix(roughnessFactor, 0.92, inLayer);");
}
