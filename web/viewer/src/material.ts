import * as THREE from "three";
import type { MaterialSpec } from "./types";

const PLAIN: Required<Omit<MaterialSpec, "print">> = {
  color: "#b9bcc4", roughness: 0.9, sheen: 0.25, sheenColor: "#ffffff", anisotropy: 0, opacity: 1, printWidth: 0.2, printHeight: 0.2,
};

/** Makes the material of a fabric; simple: one that software rendering can bear. */
export function makeMaterial(spec: MaterialSpec, simple: boolean): THREE.MeshStandardMaterial {
  const material = simple ? new THREE.MeshStandardMaterial() : new THREE.MeshPhysicalMaterial();
  material.side = THREE.DoubleSide;
  // shadows are cast by the back of the cloth, so that its front has no stripes of its own shadow
  material.shadowSide = THREE.DoubleSide;
  dress(material, spec);
  return material;
}

/** Gives a material the look of a fabric; what the spec leaves out is plain. */
export function dress(material: THREE.MeshStandardMaterial, spec: MaterialSpec): void {
  const s = { ...PLAIN, ...spec };
  material.color.set(s.color);
  material.roughness = s.roughness;
  material.transparent = s.opacity < 1;
  material.opacity = s.opacity;
  material.depthWrite = s.opacity > 0.5;
  if (material instanceof THREE.MeshPhysicalMaterial) {
    material.sheen = s.sheen;
    material.sheenColor.set(s.sheenColor);
    material.sheenRoughness = 0.6;
    material.anisotropy = s.anisotropy;
    // along the warp, which is +v
    material.anisotropyRotation = Math.PI / 2;
  }
  setPrint(material, spec, s.printWidth, s.printHeight);
  material.needsUpdate = true;
}

function setPrint(material: THREE.MeshStandardMaterial, spec: MaterialSpec, width: number, height: number): void {
  material.map?.dispose();
  material.map = null;
  if (!spec.print) return;
  const ready = (texture: THREE.Texture): void => {
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.repeat.set(1 / width, 1 / height);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 8;
    material.map = texture;
    material.needsUpdate = true;
  };
  if (typeof spec.print === "string") new THREE.TextureLoader().load(spec.print, ready);
  else {
    const texture = new THREE.Texture(spec.print);
    texture.needsUpdate = true;
    ready(texture);
  }
}
