/** Weaves as textures: normals from the heights of a tile, the heights themselves as alpha. */
import * as THREE from "three";
import type { Look } from "./looks";

const FILES = import.meta.glob<string>("./weaves/*.png", { eager: true, query: "?url", import: "default" });
const made = new Map<string, Promise<THREE.DataTexture>>();

/** The texture of a fabric's weave; made once, shared by all garments, never disposed. */
export function weaveTexture(look: Look): Promise<THREE.DataTexture> {
  const key = `${look.weave} ${look.depth / look.tile}`;
  let texture = made.get(key);
  if (!texture) {
    texture = heights(look.weave).then(({ values, size }) => normals(values, size, look.depth / look.tile));
    texture.catch(() => made.delete(key));
    made.set(key, texture);
  }
  return texture;
}

async function heights(weave: string): Promise<{ values: Uint8ClampedArray; size: number }> {
  const address = FILES[`./weaves/${weave}.png`];
  if (!address) throw new RangeError(`there is no weave ${weave}`);
  const image = await createImageBitmap(await (await fetch(address)).blob(), { colorSpaceConversion: "none" });
  const canvas = new OffscreenCanvas(image.width, image.height), drawing = canvas.getContext("2d")!;
  drawing.drawImage(image, 0, 0);
  return { values: drawing.getImageData(0, 0, image.width, image.height).data, size: image.width };
}

/** steepness: depth over width of the tile */
export function normals(values: ArrayLike<number>, size: number, steepness: number): THREE.DataTexture {
  const out = new Uint8Array(4 * size * size), scale = (steepness * size) / (2 * 255);
  const height = (x: number, y: number): number => values[4 * (((y + size) % size) * size + ((x + size) % size))]!;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const dx = (height(x + 1, y) - height(x - 1, y)) * scale;
      // rows of the picture run down, those of the texture up
      const row = size - 1 - y, dy = (height(x, y - 1) - height(x, y + 1)) * scale;
      const length = Math.hypot(dx, dy, 1), at = 4 * (row * size + x);
      out[at] = 127.5 * (1 - dx / length);
      out[at + 1] = 127.5 * (1 - dy / length);
      out[at + 2] = 127.5 * (1 + 1 / length);
      out[at + 3] = height(x, y);
    }
  }
  const texture = new THREE.DataTexture(out, size, size, THREE.RGBAFormat);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 8;
  texture.needsUpdate = true;
  return texture;
}
