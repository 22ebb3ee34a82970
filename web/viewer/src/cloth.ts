import * as THREE from "three";
import { dress, makeMaterial } from "./material";
import { computeNormals } from "./normals";
import type { ClothHit, ClothMesh, MaterialSpec } from "./types";

/** Garments as one mesh: particles are spread to the points that carry the print. */
export class ClothView {
  readonly mesh: THREE.Mesh;
  private readonly materials: THREE.MeshStandardMaterial[];
  private readonly particleTriangles: Uint32Array;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;

  constructor(private readonly cloth: ClothMesh, simple: boolean) {
    const points = cloth.pointParticle.length;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", moving(points));
    geometry.setAttribute("normal", moving(points));
    geometry.setAttribute("uv", new THREE.BufferAttribute(cloth.uv, 2));
    geometry.setIndex(new THREE.BufferAttribute(cloth.triangles, 1));
    cloth.parts.forEach((part, i) => geometry.addGroup(3 * part.start, 3 * part.count, i));
    this.materials = cloth.parts.map((part) => makeMaterial(part.material, simple));
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

  /** Middle of the particles and how far the outermost is from it [m]. */
  bounds(): THREE.Sphere {
    const box = new THREE.Box3().setFromArray(this.positions);
    return box.getBoundingSphere(new THREE.Sphere());
  }

  hit(ray: THREE.Raycaster): ClothHit | null {
    this.mesh.geometry.boundingSphere = this.bounds();
    const found = ray.intersectObject(this.mesh)[0];
    if (!found?.face) return null;
    const corners = [found.face.a, found.face.b, found.face.c].map((point) => this.cloth.pointParticle[point]!);
    const far = (p: number): number => found.point.distanceToSquared(new THREE.Vector3().fromArray(this.positions, 3 * p));
    corners.sort((a, b) => far(a) - far(b));
    return { particle: corners[0]!, point: [found.point.x, found.point.y, found.point.z], part: found.face.materialIndex };
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    for (const material of this.materials) {
      material.map?.dispose();
      material.dispose();
    }
  }

  private spread(from: Float32Array, name: string): void {
    const attribute = this.mesh.geometry.attributes[name] as THREE.BufferAttribute;
    const to = attribute.array as Float32Array, particle = this.cloth.pointParticle;
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
