/** The material of cloth: weave, gloss, print, seams and hems with their stitches, an inner side, a map of how it fits. */
import * as THREE from "three";
import type { MaterialSpec } from "../src/types";
import { type Look, lookOf } from "./looks";
import { printTexture } from "./print";
import { weaveTexture } from "./weave";

/** What the shader is told besides three's own figures. */
interface Uniforms {
  weaveShade: { value: number };
  uneven: { value: number };
  cover: { value: number };
  holes: { value: number };
  hem: { value: number };
  stitchLength: { value: number };
  stitch: { value: THREE.Color };
  stitched: { value: number };
  mapped: { value: number };
}

const GROUND = "#b9bcc4";
const uniformsOf = new WeakMap<THREE.Material, Uniforms>();

/** Makes the material of a fabric; simple: one that software rendering can bear. */
export function makeMaterial(spec: MaterialSpec, simple: boolean): THREE.MeshStandardMaterial {
  const material = simple ? new THREE.MeshStandardMaterial() : new THREE.MeshPhysicalMaterial();
  material.side = THREE.DoubleSide;
  // both sides cast shadows, so that the front has no stripes of its own shadow
  material.shadowSide = THREE.DoubleSide;
  const uniforms: Uniforms = {
    weaveShade: { value: 0 }, uneven: { value: 0 }, cover: { value: 1 }, holes: { value: 0 }, hem: { value: 0 }, stitchLength: { value: 0.0025 },
    stitch: { value: new THREE.Color() }, stitched: { value: 0 }, mapped: { value: 0 },
  };
  uniformsOf.set(material, uniforms);
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}`)
      .replace("#include <begin_vertex>", "vec3 transformed = position - inset * objectNormal;\nborderAt = border; fitAt = fit; placeAt = uv;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${FRAGMENT_HEAD}`)
      .replace("#include <map_fragment>", `#include <map_fragment>\n${COLOUR}`);
  };
  dress(material, spec);
  return material;
}

/** Gives a material the look of a fabric; what the spec names goes over what the fabric has. */
export function dress(material: THREE.MeshStandardMaterial, spec: MaterialSpec): void {
  const look = lookOf(spec.fabric), uniforms = uniformsOf.get(material);
  material.color.set(spec.color ?? GROUND);
  material.roughness = spec.roughness ?? look.roughness;
  const cover = spec.opacity ?? look.cover;
  material.transparent = cover < 1;
  material.depthWrite = cover > 0.5;
  if (material instanceof THREE.MeshPhysicalMaterial) gloss(material, spec, look);
  if (uniforms) {
    const ground = new THREE.Color(spec.color ?? GROUND);
    uniforms.uneven.value = look.uneven;
    uniforms.cover.value = cover;
    uniforms.holes.value = look.weave === "net" ? 1 : 0;
    uniforms.hem.value = look.hem;
    uniforms.stitchLength.value = look.stitchLength;
    uniforms.stitched.value = look.stitch === "" ? 0 : 1;
    uniforms.stitch.value.copy(look.stitch ? new THREE.Color(look.stitch) : beside(ground));
  }
  weave(material, look, uniforms);
  setPrint(material, spec);
  material.needsUpdate = true;
}

/** Shows how the cloth fits in place of its colour, or the colour again. */
export function setMapped(material: THREE.Material, mapped: boolean): void {
  const uniforms = uniformsOf.get(material);
  if (uniforms) uniforms.mapped.value = mapped ? 1 : 0;
}

function gloss(material: THREE.MeshPhysicalMaterial, spec: MaterialSpec, look: Look): void {
  const own = new THREE.Color(spec.color ?? GROUND);
  material.sheen = spec.sheen ?? look.sheen;
  // fibres catch light in a paler shade of the cloth's own colour
  material.sheenColor.copy(spec.sheenColor ? new THREE.Color(spec.sheenColor) : own.clone().lerp(new THREE.Color(1, 1, 1), 0.35));
  material.sheenRoughness = look.sheenRoughness;
  material.anisotropy = spec.anisotropy ?? look.anisotropy;
  // along the warp, which is +v
  material.anisotropyRotation = Math.PI / 2;
  // threads scatter what lacquer would mirror
  material.specularIntensity = look.roughness > 0.8 ? 0.35 : 0.7;
}

/** Thread of its own dye: a little lighter on dark cloth, a little darker on pale. */
function beside(ground: THREE.Color): THREE.Color {
  const hsl = ground.getHSL({ h: 0, s: 0, l: 0 });
  return new THREE.Color().setHSL(hsl.h, hsl.s * 0.9, hsl.l > 0.35 ? hsl.l * 0.72 : hsl.l * 1.3 + 0.08);
}

function weave(material: THREE.MeshStandardMaterial, look: Look, uniforms: Uniforms | undefined): void {
  material.userData["weave"] = look.weave;
  void weaveTexture(look).then((made) => {
    // another fabric was chosen in the meantime
    if (material.userData["weave"] !== look.weave) return;
    const texture = made.clone();
    texture.repeat.set(1 / look.tile, 1 / look.tile);
    material.normalMap?.dispose();
    material.normalMap = texture;
    if (uniforms) uniforms.weaveShade.value = look.weave === "net" ? 0 : 0.3;
    material.needsUpdate = true;
    material.dispatchEvent({ type: "dressed" } as never);
  }, () => undefined);
}

function setPrint(material: THREE.MeshStandardMaterial, spec: MaterialSpec): void {
  material.map?.dispose();
  material.map = null;
  const asked = (material.userData["print"] = spec.print ?? spec.pattern ?? "");
  const width = spec.printWidth ?? 0.2, height = spec.printHeight ?? width;
  const ready = (texture: THREE.Texture): void => {
    if (material.userData["print"] !== asked) return texture.dispose();
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.repeat.set(1 / width, 1 / height);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 8;
    // the print brings its own ground
    material.color.set("#ffffff");
    material.map = texture;
    material.needsUpdate = true;
    material.dispatchEvent({ type: "dressed" } as never);
  };
  if (spec.pattern) ready(printTexture(spec.pattern, spec.color ?? GROUND, spec.second ?? "#ffffff"));
  else if (typeof spec.print === "string") new THREE.TextureLoader().load(spec.print, ready);
  else if (spec.print) {
    const texture = new THREE.Texture(spec.print);
    texture.needsUpdate = true;
    ready(texture);
  }
}

const VERTEX_HEAD = /* glsl */ `
attribute vec3 border;
attribute float inset, fit;
varying vec3 borderAt;
varying float fitAt;
varying vec2 placeAt;
`;

const FRAGMENT_HEAD = /* glsl */ `
uniform float weaveShade, uneven, cover, holes, hem, stitchLength, stitched, mapped;
uniform vec3 stitch;
varying vec3 borderAt;
varying float fitAt;
varying vec2 placeAt;

float grain(vec2 at) {
  vec2 cell = floor(at), part = at - cell;
  part = part * part * (3.0 - 2.0 * part);
  vec4 corner = vec4(0.0, 1.0, 57.0, 58.0) + dot(cell, vec2(1.0, 57.0));
  vec4 value = fract(sin(corner * 0.0731) * 43758.5453);
  return mix(mix(value.x, value.y, part.x), mix(value.z, value.w, part.x), part.y);
}

// how much of a pixel a line of that width covers, however far away it is
float line(float off, float width) {
  float pixel = max(fwidth(off), 1e-6);
  return clamp(0.5 + (0.5 * width - abs(off)) / pixel, 0.0, 1.0) * min(1.0, width / pixel);
}

// even to the eye and safe for colour-blind people: from loose to too tight
vec3 fitColour(float value) {
  vec3 stop[5];
  stop[0] = vec3(0.0, 0.188, 0.435); stop[1] = vec3(0.286, 0.333, 0.420); stop[2] = vec3(0.498, 0.482, 0.459);
  stop[3] = vec3(0.741, 0.663, 0.396); stop[4] = vec3(0.996, 0.894, 0.204);
  float at = clamp(value, 0.0, 1.0) * 5.0 - 0.5;
  vec3 colour = stop[0];
  for (int i = 1; i < 5; i++) colour = mix(colour, stop[i], smoothstep(0.25, 0.75, at - float(i - 1)));
  return pow(colour, vec3(2.2));
}
`;

const COLOUR = /* glsl */ `
#ifdef USE_NORMALMAP
  float thread = texture2D(normalMap, vNormalMapUv).a;
#else
  float thread = 1.0;
#endif
diffuseColor.rgb *= 1.0 - weaveShade * (1.0 - thread);
// dye and yarn are never quite even along their threads
float streak = grain(placeAt * vec2(700.0, 22.0)) + grain(placeAt * vec2(22.0, 700.0)) + grain(placeAt * vec2(55.0, 40.0));
diffuseColor.rgb *= 1.0 + uneven * (streak / 1.5 - 1.0);
float toBorder = borderAt.x, sewn = borderAt.z;
// where the nearest border changes, the way along it makes no sense
float steady = 1.0 - smoothstep(0.5, 2.0, fwidth(borderAt.y) / max(fwidth(placeAt.x) + fwidth(placeAt.y), 1e-6));
// cloth sinks in where it is sewn
diffuseColor.rgb *= 1.0 - 0.42 * smoothstep(0.6, 0.9, sewn) * line(toBorder, 0.0016);
if (stitched > 0.5) {
  float dash = fract(borderAt.y / stitchLength);
  float gap = smoothstep(0.0, 0.1, dash) * (1.0 - smoothstep(0.66, 0.76, dash));
  // far away single stitches are no longer told apart
  gap = mix(gap, 0.7, clamp(fwidth(borderAt.y) / stitchLength * 1.5, 0.0, 1.0));
  float row = smoothstep(0.6, 0.9, 1.0 - sewn) * line(toBorder - hem, 0.0009);
  diffuseColor.rgb = mix(diffuseColor.rgb, stitch, 0.85 * steady * gap * row * step(0.001, hem));
}
// a turned hem is double
diffuseColor.rgb *= 1.0 - 0.05 * smoothstep(0.6, 0.9, 1.0 - sewn) * step(toBorder, hem) * step(0.001, hem);
if (!gl_FrontFacing) diffuseColor.rgb *= 0.72;
if (cover < 1.0) {
  // seen along its surface, more threads lie behind each other
  float across = abs(dot(normalize(vViewPosition), normalize(vNormal)));
  float layers = 1.0 / clamp(across, 0.15, 1.0);
  float hides = 1.0 - pow(1.0 - cover, layers);
  float far = clamp(fwidth(placeAt.x) * 900.0, 0.0, 1.0);
  diffuseColor.a = mix(hides, mix(mix(0.04, 0.95, thread), hides, far), holes);
}
if (mapped > 0.5) {
  diffuseColor.rgb = fitColour(fitAt) * (1.0 - 0.25 * (1.0 - thread));
  diffuseColor.a = 1.0;
}
`;
