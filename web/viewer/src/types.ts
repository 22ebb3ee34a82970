/** What the stage shows. Metres, y up, the body faces +z. */

/** A body at rest with what moves it: up to eight joints for each vertex. */
export interface BodyMesh {
  /** rest positions [m], 3 each */
  readonly vertices: Float32Array;
  /** vertex numbers, counter-clockwise seen from outside, 3 each */
  readonly triangles: Uint32Array;
  /** joint numbers, 8 a vertex; absent: the body does not move */
  readonly joints?: Uint16Array;
  /** their shares, 8 a vertex, each row sums to 1 */
  readonly weights?: Float32Array;
  /** how many joints there are */
  readonly jointCount?: number;
}

/** A stretch of a cloth's triangles that wears one material: a garment, or a fabric of it. */
export interface ClothPart {
  readonly name: string;
  /** first triangle */
  readonly start: number;
  /** how many triangles */
  readonly count: number;
  /** number of the garment it belongs to, innermost first */
  readonly garment: number;
  readonly material: MaterialSpec;
}

/** Garments: particles move; points lie in the flat pieces and carry the print, apart at the seams. */
export interface ClothMesh {
  readonly particleCount: number;
  /** particle of each point */
  readonly pointParticle: Uint32Array;
  /** place of each point in its flat piece, +v along the warp [m], 2 each */
  readonly uv: Float32Array;
  /** point numbers, 3 each */
  readonly triangles: Uint32Array;
  readonly parts: readonly ClothPart[];
}

/** One instant. What is left out stays as it was. */
export interface FrameData {
  /** of the particles [m], 3 each */
  readonly positions?: Float32Array;
  /** of the particles, unit length, 3 each; left out: computed from the positions */
  readonly normals?: Float32Array;
  /** world from rest of each joint, 3 rows of 4 numbers each */
  readonly joints?: Float32Array;
}

/** How a fabric looks. Colours are sRGB, as in CSS. */
export interface MaterialSpec {
  /** "#rrggbb" */
  readonly color?: string;
  /** name in the fabric database: weave, gloss, cover and stitches; what stands below goes over it */
  readonly fabric?: string;
  /** 0 mirror … 1 matt */
  readonly roughness?: number;
  /** 0 … 1: soft light at the rim, as on wool and velvet */
  readonly sheen?: number;
  readonly sheenColor?: string;
  /** 0 … 1: gloss along the warp, as on satin */
  readonly anisotropy?: number;
  /** 0 … 1; below 1 the cloth lets the skin shine through */
  readonly opacity?: number;
  /** a picture that is repeated over the cloth: address or decoded image */
  readonly print?: string | ImageBitmap;
  /** a print of two colours, in place of a picture */
  readonly pattern?: "stripes" | "dots" | "checks";
  /** its second colour, "#rrggbb"; the first is the ground */
  readonly second?: string;
  /** width of one repeat of the print [m] */
  readonly printWidth?: number;
  /** height of one repeat of the print [m] */
  readonly printHeight?: number;
}

/** Where a pointer meets the cloth. */
export interface ClothHit {
  /** nearest particle */
  readonly particle: number;
  /** [m] */
  readonly point: readonly [number, number, number];
  /** part of the cloth, as in ClothMesh.parts */
  readonly part: number;
}

/** From where the camera looks. */
export interface View {
  /** angle round the body: 0 from the front, π/2 from its left hand [rad] */
  readonly azimuth?: number;
  /** above the horizon [rad] */
  readonly elevation?: number;
  /** what lies in the middle of the picture [m] */
  readonly target?: readonly [number, number, number];
  /** from the target [m] */
  readonly distance?: number;
}
