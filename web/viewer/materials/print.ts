/** Prints as one repeat in a small picture: stripes, dots and checks of two colours. */
import * as THREE from "three";

export type Pattern = "stripes" | "dots" | "checks";
const SIZE = 256;

/** One repeat of a print; where each colour lies is what the shop's own pictures use, too. */
export function printTexture(pattern: Pattern, ground: string, second: string): THREE.Texture {
  const canvas = new OffscreenCanvas(SIZE, SIZE), pen = canvas.getContext("2d")!;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, SIZE, SIZE);
  pen.fillStyle = second;
  DRAW[pattern](pen);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

type Pen = OffscreenCanvasRenderingContext2D;

const DRAW: Record<Pattern, (pen: Pen) => void> = {
  // across the piece, a third of their distance wide
  stripes: (pen) => pen.fillRect(0, 0.33 * SIZE, SIZE, 0.34 * SIZE),
  // every second row is shifted by half a repeat
  dots: (pen) => {
    for (const [x, y] of [[0.5, 0.75], [0, 0.25], [1, 0.25]] as const) {
      pen.beginPath();
      pen.arc(x * SIZE, y * SIZE, 0.155 * SIZE, 0, 2 * Math.PI);
      pen.fill();
    }
  },
  // bands both ways, where they cross twice as dark
  checks: (pen) => {
    pen.globalAlpha = 0.5;
    pen.fillRect(0.25 * SIZE, 0, 0.5 * SIZE, SIZE);
    pen.fillRect(0, 0.25 * SIZE, SIZE, 0.5 * SIZE);
    pen.globalAlpha = 1;
  },
};
