/** How each fabric looks: the table that the pictures and files of the Python side use as well. */
import table from "../../../src/toile/render/looks.json";

export interface Look {
  readonly weave: string;
  /** width of one tile of the weave [m] */
  readonly tile: number;
  /** from crest to ground of the threads [m] */
  readonly depth: number;
  readonly roughness: number;
  readonly sheen: number;
  readonly sheenRoughness: number;
  readonly anisotropy: number;
  /** share of what lies behind that the cloth hides */
  readonly cover: number;
  /** how much the colour wanders along the threads */
  readonly uneven: number;
  /** distance of the hem's stitches from the edge [m]; 0: cut raw */
  readonly hem: number;
  /** "#rrggbb"; null: a shade beside the cloth's; empty: they do not show */
  readonly stitch: string | null;
  /** [m] */
  readonly stitchLength: number;
}

type Row = { weave: string; tile: number; depth: number; roughness: number; sheen: number; uneven: number; hem: number }
  & Partial<Record<"sheen_roughness" | "anisotropy" | "cover" | "stitch_length", number>> & { stitch?: string };

const ROWS: Readonly<Record<string, Row>> = table;

/** The look of a fabric by name; of one that we do not know, that of plain cotton. */
export function lookOf(fabric: string | undefined): Look {
  const row = ROWS[fabric ?? ""] ?? ROWS["cotton"]!;
  return {
    weave: row.weave, tile: row.tile, depth: row.depth, roughness: row.roughness, sheen: row.sheen, uneven: row.uneven, hem: row.hem,
    sheenRoughness: row.sheen_roughness ?? 0.5, anisotropy: row.anisotropy ?? 0, cover: row.cover ?? 1,
    stitch: row.stitch ?? null, stitchLength: row.stitch_length ?? 0.0025,
  };
}
