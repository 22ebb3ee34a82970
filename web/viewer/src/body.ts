import * as THREE from "three";
import { hairMaterial, scalpOf, type Scalp } from "../materials/hair";
import { figureOf, smoothUnder, TONES, wearUnderlayer } from "../materials/skin";
import { computeNormals } from "./normals";
import type { BodyMesh } from "./types";

// three.js takes four joints a vertex, which puts skin up to 8 mm from where the simulation has it: eight, then
const DECLARE = /* glsl */ `
attribute vec4 jointA, jointB, shareA, shareB;
uniform sampler2D jointRows;
mat4 jointTurn(float number) {
  int row = 3 * int(number + 0.5);
  return transpose(mat4(
    texelFetch(jointRows, ivec2(row, 0), 0), texelFetch(jointRows, ivec2(row + 1, 0), 0),
    texelFetch(jointRows, ivec2(row + 2, 0), 0), vec4(0, 0, 0, 1)));
}
mat4 allJoints() {
  return shareA.x * jointTurn(jointA.x) + shareA.y * jointTurn(jointA.y) + shareA.z * jointTurn(jointA.z) + shareA.w * jointTurn(jointA.w)
    + shareB.x * jointTurn(jointB.x) + shareB.y * jointTurn(jointB.y) + shareB.z * jointTurn(jointB.z) + shareB.w * jointTurn(jointB.w);
}
`;

/** A body whose skin is moved on the graphics card. */
export class BodyView {
  readonly mesh: THREE.Mesh;
  private readonly rows: THREE.DataTexture | null;
  private readonly layer = new THREE.Color();
  private readonly figure: { value: readonly number[] } = { value: [0, 1, 0, 0, 0] };
  private hair: { mesh: THREE.Mesh; scalp: Scalp } | null = null;

  /** hair: short hair of our own, for bodies that have none. */
  constructor(private readonly body: BodyMesh, tone: THREE.ColorRepresentation, private readonly wantsHair = false) {
    const material = new THREE.MeshStandardMaterial({ color: tone, roughness: 0.62 });
    material.onBeforeCompile = (shader) => wearUnderlayer(shader, this.layer, this.figure);
    this.rows = body.joints && body.weights && body.jointCount ? jointTexture(body.jointCount) : null;
    this.mesh = this.skinned(body.triangles, Uint32Array.from({ length: body.vertices.length / 3 }, (_, v) => v), material);
    this.mesh.geometry.setAttribute("arm", new THREE.BufferAttribute(new Float32Array(body.vertices.length / 3), 1));
    this.setVertices(body.vertices);
    this.setTone(tone);
  }

  /** Other rest positions, as while a measure is changed. */
  setVertices(vertices: Float32Array): void {
    const { position, normal, arm } = this.mesh.geometry.attributes as Record<string, THREE.BufferAttribute>;
    position!.array.set(vertices);
    computeNormals(vertices, this.body.triangles, normal!.array as Float32Array);
    const figure = figureOf(vertices, this.body.joints, this.body.weights);
    this.figure.value = figure.values;
    arm!.array.set(figure.arm);
    smoothUnder(normal!.array as Float32Array, vertices, this.body.triangles, figure);
    position!.needsUpdate = normal!.needsUpdate = arm!.needsUpdate = true;
    if (this.wantsHair) this.comb(vertices, normal!.array as Float32Array);
  }

  /** World from rest of each joint, 3 rows of 4. */
  setJoints(joints: Float32Array): void {
    if (!this.rows) return;
    (this.rows.image.data as Float32Array).set(joints);
    this.rows.needsUpdate = true;
  }

  setTone(tone: THREE.ColorRepresentation): void {
    (this.mesh.material as THREE.MeshStandardMaterial).color.set(tone);
    const dress = TONES.find(([skin]) => skin === tone)?.[1];
    this.layer.set(dress ?? new THREE.Color(tone).lerp(new THREE.Color("#d8d2ca"), 0.6));
  }

  dispose(): void {
    for (const mesh of [this.mesh, this.hair?.mesh]) {
      mesh?.geometry.dispose();
      (mesh?.material as THREE.Material | undefined)?.dispose();
      mesh?.customDepthMaterial?.dispose();
    }
    this.rows?.dispose();
  }

  private comb(vertices: Float32Array, normals: Float32Array): void {
    // the same hair on another head keeps its triangles
    const scalp = this.hair ? moved(this.hair.scalp, scalpOf(vertices, normals, this.body.triangles)) : scalpOf(vertices, normals, this.body.triangles);
    if (!scalp) return;
    if (!this.hair || this.hair.scalp.on !== scalp.on) {
      if (this.hair) this.mesh.remove(this.hair.mesh);
      this.hair = { mesh: this.skinned(scalp.triangles, scalp.on, hairMaterial()), scalp };
      this.hair.mesh.geometry.setAttribute("above", new THREE.BufferAttribute(new Float32Array(scalp.on.length), 1));
      this.mesh.add(this.hair.mesh);
    }
    const { position, normal, above } = this.hair.mesh.geometry.attributes as Record<string, THREE.BufferAttribute>;
    position!.array.set(scalp.places);
    computeNormals(scalp.places, scalp.triangles, normal!.array as Float32Array);
    above!.array.set(scalp.above);
    position!.needsUpdate = normal!.needsUpdate = above!.needsUpdate = true;
  }

  /** A mesh over some of the body's vertices that goes with its joints. */
  private skinned(triangles: Uint32Array, on: Uint32Array, material: THREE.Material): THREE.Mesh {
    const geometry = new THREE.BufferGeometry(), { joints, weights } = this.body;
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * on.length), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * on.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    if (!this.rows || !joints || !weights) return mesh;
    geometry.setAttribute("jointA", four(joints, on, 0));
    geometry.setAttribute("jointB", four(joints, on, 4));
    geometry.setAttribute("shareA", four(weights, on, 0));
    geometry.setAttribute("shareB", four(weights, on, 4));
    moveByJoints(material, this.rows);
    mesh.customDepthMaterial = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    moveByJoints(mesh.customDepthMaterial, this.rows);
    return mesh;
  }
}

function moved(before: Scalp, after: Scalp | null): Scalp | null {
  const same = after && after.on.length === before.on.length && after.on.every((v, i) => v === before.on[i]);
  return same ? { ...before, places: after.places, above: after.above } : after;
}

function jointTexture(count: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(new Float32Array(12 * count), 3 * count, 1, THREE.RGBAFormat, THREE.FloatType);
  const rows = texture.image.data as Float32Array;
  for (let j = 0; j < count; j++) rows[12 * j] = rows[12 * j + 5] = rows[12 * j + 10] = 1;
  texture.needsUpdate = true;
  return texture;
}

/** Four of the eight values of each vertex. */
function four(values: ArrayLike<number>, on: Uint32Array, first: number): THREE.BufferAttribute {
  const out = new Float32Array(4 * on.length);
  for (let i = 0; i < on.length; i++) for (let k = 0; k < 4; k++) out[4 * i + k] = values[8 * on[i]! + first + k]!;
  return new THREE.BufferAttribute(out, 4);
}

function moveByJoints(material: THREE.Material, rows: THREE.Texture): void {
  const before = material.onBeforeCompile.bind(material);
  material.onBeforeCompile = (shader, renderer) => {
    before(shader, renderer);
    shader.uniforms.jointRows = { value: rows };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${DECLARE}`)
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = normalize(mat3(allJoints()) * normal);")
      .replace("#include <begin_vertex>", "vec3 transformed = (allJoints() * vec4(position, 1.0)).xyz;");
  };
}
