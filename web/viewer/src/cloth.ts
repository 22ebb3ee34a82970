import * as THREE from "three";
import { findBorders } from "../materials/borders";
import { dress, makeMaterial, setMapped } from "../materials/cloth";
import { rimsOf } from "../materials/rims";
import { computeNormals } from "./normals";
import type { ClothHit, ClothMesh, MaterialSpec } from "./types";

/** Garments as one mesh: particles are spread to the points that carry the print. */
export class ClothView {
  readonly mesh: THREE.Mesh;
  private readonly materials: THREE.MeshStandardMaterial[];
  private facing: THREE.MeshNormalMaterial | null = null;
  private readonly particleTriangles: Uint32Array;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  /** particle of each point, with those of the rims behind the cloth's own */
  private readonly particle: Uint32Array;

  constructor(cloth: ClothMesh, simple: boolean, redraw: () => void = () => undefined) {
    const own = cloth.pointParticle.length, borders = findBorders(cloth.uv, cloth.triangles, cloth.pointParticle);
    const rims = rimsOf(borders.open, own), points = own + rims.on.length;
    this.particle = joined(cloth.pointParticle, rims.on.map((p) => cloth.pointParticle[p]!));
    const from = (i: number): number => (i < own ? i : rims.on[i - own]!);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", moving(points));
    geometry.setAttribute("normal", moving(points));
    geometry.setAttribute("uv", filled(points, 2, (i, k) => cloth.uv[2 * from(i) + k]!));
    geometry.setAttribute("border", filled(points, 3, (i, k) => [borders.distance, borders.along, borders.sewn][k]![from(i)]!));
    geometry.setAttribute("inset", filled(points, 1, (i) => (i < own ? 0 : RIM)));
    geometry.setAttribute("fit", filled(points, 1, () => 0));
    const { triangles, groups } = withRims(cloth, rims.triangles);
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    groups.forEach(([start, count], i) => geometry.addGroup(start, count, i));
    this.materials = cloth.parts.map((part) => makeMaterial(part.material, simple));
    for (const material of this.materials) (material as THREE.EventDispatcher<{ dressed: object }>).addEventListener("dressed", redraw);
    this.particleTriangles = cloth.triangles.map((point) => cloth.pointParticle[point]!);
    this.positions = new Float32Array(3 * cloth.particleCount);
    this.normals = new Float32Array(3 * cloth.particleCount);
    this.mesh = new THREE.Mesh(geometry, this.materials);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  setPositions(positions: Float32Array, normals?: Float32Array): void {
    this.positions.set(positions);
    if (normals) this.normals.set(normals);
    else computeNormals(this.positions, this.particleTriangles, this.normals);
    this.spread(this.positions, "position");
    this.spread(this.normals, "normal");
  }

  setMaterial(part: number, spec: MaterialSpec): void {
    const material = this.materials[part];
    if (!material) throw new RangeError(`there is no part ${part} of the cloth: it has ${this.materials.length}`);
    dress(material, spec);
  }

  /** Values from 0 loose to 1 too tight, one a particle, shown in place of colours; null: the colours again. */
  setValues(values: Float32Array | null): void {
    for (const material of this.materials) setMapped(material, values !== null);
    if (!values) return;
    const attribute = this.mesh.geometry.attributes["fit"] as THREE.BufferAttribute;
    this.particle.forEach((p, i) => (attribute.array[i] = values[p] ?? 0));
    attribute.needsUpdate = true;
  }

  /** As it looks, as its triangles, or coloured by which way it faces. */
  setDrawing(way: "look" | "wire" | "normals"): void {
    for (const material of this.materials) material.wireframe = way === "wire";
    this.facing ??= way === "normals" ? new THREE.MeshNormalMaterial({ side: THREE.DoubleSide }) : null;
    this.mesh.material = way === "normals" && this.facing ? this.materials.map(() => this.facing!) : this.materials;
  }

  /** Middle of the particles and how far the outermost is from it [m]. */
  bounds(): THREE.Sphere {
    const box = new THREE.Box3().setFromArray(this.positions);
    return box.getBoundingSphere(new THREE.Sphere());
  }

  hit(ray: THREE.Raycaster): ClothHit | null {
    this.mesh.geometry.boundingSphere = this.bounds();
    const found = ray.intersectObject(this.mesh)[0];
    if (!found?.face) return null;
    const corners = [found.face.a, found.face.b, found.face.c].map((point) => this.particle[point]!);
    const far = (p: number): number => found.point.distanceToSquared(new THREE.Vector3().fromArray(this.positions, 3 * p));
    corners.sort((a, b) => far(a) - far(b));
    return { particle: corners[0]!, point: [found.point.x, found.point.y, found.point.z], part: found.face.materialIndex };
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.facing?.dispose();
    for (const material of this.materials) {
      material.map?.dispose();
      material.normalMap?.dispose();
      material.dispose();
    }
  }

  private spread(from: Float32Array, name: string): void {
    const attribute = this.mesh.geometry.attributes[name] as THREE.BufferAttribute;
    const to = attribute.array as Float32Array, { particle } = this;
    for (let i = 0, at = 0; i < particle.length; i++, at += 3) {
      const p = 3 * particle[i]!;
      to[at] = from[p]!; to[at + 1] = from[p + 1]!; to[at + 2] = from[p + 2]!;
    }
    attribute.needsUpdate = true;
  }
}

function moving(points: number): THREE.BufferAttribute {
  return new THREE.BufferAttribute(new Float32Array(3 * points), 3).setUsage(THREE.DynamicDrawUsage);
}

/** how far the inner side of an open edge lies behind the outer: two layers of cloth [m] */
const RIM = 0.0014;

function filled(points: number, size: number, value: (point: number, k: number) => number): THREE.BufferAttribute {
  const out = new Float32Array(points * size);
  for (let i = 0; i < points; i++) for (let k = 0; k < size; k++) out[size * i + k] = value(i, k);
  return new THREE.BufferAttribute(out, size);
}

function joined(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** The cloth's triangles with each part's rims behind its own, and where the parts then are. */
function withRims(cloth: ClothMesh, rims: Uint32Array): { triangles: Uint32Array; groups: [number, number][] } {
  const owner = new Int32Array(cloth.pointParticle.length);
  cloth.parts.forEach((part, i) => {
    for (let k = 3 * part.start; k < 3 * (part.start + part.count); k++) owner[cloth.triangles[k]!] = i;
  });
  const lists = cloth.parts.map((part) => [...cloth.triangles.subarray(3 * part.start, 3 * (part.start + part.count))]);
  // a band's first two points lie on the border itself
  for (let t = 0; t < rims.length; t += 6) lists[owner[rims[t]!]!]?.push(...rims.subarray(t, t + 6));
  let at = 0;
  const groups = lists.map((list): [number, number] => [(at += list.length) - list.length, list.length]);
  return { triangles: Uint32Array.from(lists.flat()), groups };
}
