import * as THREE from "three";
import { TONES, underlayer, wearUnderlayer } from "../materials/skin";
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
  private readonly triangles: Uint32Array;
  private readonly layer = new THREE.Color();

  constructor(body: BodyMesh, tone: THREE.ColorRepresentation) {
    const geometry = new THREE.BufferGeometry();
    this.triangles = body.triangles;
    geometry.setAttribute("position", new THREE.BufferAttribute(body.vertices.slice(), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(body.vertices.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(body.triangles, 1));
    geometry.setAttribute("worn", new THREE.BufferAttribute(underlayer(body.vertices, body.joints, body.weights), 1));
    const material = new THREE.MeshStandardMaterial({ color: tone, roughness: 0.62 });
    material.onBeforeCompile = (shader) => wearUnderlayer(shader, this.layer);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.rows = body.joints && body.weights && body.jointCount ? this.skin(body.joints, body.weights, body.jointCount) : null;
    this.setVertices(body.vertices);
    this.setTone(tone);
  }

  /** Other rest positions, as while a measure is changed. */
  setVertices(vertices: Float32Array): void {
    const { position, normal } = this.mesh.geometry.attributes as Record<string, THREE.BufferAttribute>;
    position!.array.set(vertices);
    computeNormals(vertices, this.triangles, normal!.array as Float32Array);
    position!.needsUpdate = normal!.needsUpdate = true;
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
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.mesh.customDepthMaterial?.dispose();
    this.rows?.dispose();
  }

  private skin(joints: Uint16Array, weights: Float32Array, count: number): THREE.DataTexture {
    const texture = new THREE.DataTexture(new Float32Array(12 * count), 3 * count, 1, THREE.RGBAFormat, THREE.FloatType);
    const rows = texture.image.data as Float32Array;
    for (let j = 0; j < count; j++) rows[12 * j] = rows[12 * j + 5] = rows[12 * j + 10] = 1;
    texture.needsUpdate = true;
    const geometry = this.mesh.geometry;
    geometry.setAttribute("jointA", four(Float32Array.from(joints), 0));
    geometry.setAttribute("jointB", four(Float32Array.from(joints), 4));
    geometry.setAttribute("shareA", four(weights, 0));
    geometry.setAttribute("shareB", four(weights, 4));
    moveByJoints(this.mesh.material as THREE.Material, texture);
    this.mesh.customDepthMaterial = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    moveByJoints(this.mesh.customDepthMaterial, texture);
    return texture;
  }
}

function four(values: Float32Array, first: number): THREE.BufferAttribute {
  const out = new Float32Array(values.length / 2);
  for (let v = 0; v < out.length / 4; v++) out.set(values.subarray(8 * v + first, 8 * v + first + 4), 4 * v);
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
