/** Which particles lie along an edge of the flat pattern: what lights up in the drape when an edge does in 2D. */
import type { ClothMesh } from "toile-viewer";
import { lengthOf, nearestOn, type PieceSeen } from "../pattern/model";

/** nearer to the edge than this and a point lies on it [m] */
const ON = 0.0025;

export class ClothMap {
  private readonly points = new Map<string, number[]>();
  private readonly lines = new Map<string, { made: unknown; particles: number[] }>();

  /** panel: number of the piece of each point; names: theirs; owner: garment of each piece */
  constructor(private readonly cloth: ClothMesh, readonly panel: ArrayLike<number>, readonly names: readonly string[], private readonly owner: readonly number[]) {
    for (let i = 0; i < cloth.pointParticle.length; i++) {
      const key = this.key(panel[i]!), list = this.points.get(key);
      if (list) list.push(i);
      else this.points.set(key, [i]);
    }
  }

  /** Garment and piece of a particle. */
  pieceOf(particle: number): { garment: number; piece: string } | null {
    const point = this.cloth.pointParticle.indexOf(particle), panel = point < 0 ? undefined : this.panel[point];
    return panel === undefined ? null : { garment: this.owner[panel] ?? 0, piece: this.names[panel] ?? "" };
  }

  /** Particles along an edge, from its start to its end. */
  along(piece: PieceSeen, edge: number): number[] {
    const key = `${piece.garment}/${piece.piece}/${edge}`, line = piece.edges[edge]?.line, before = this.lines.get(key);
    if (!line) return [];
    if (before?.made === line) return before.particles;
    const found = (this.points.get(`${piece.garment}/${piece.piece}`) ?? []).flatMap((i) => {
      const { share, far } = nearestOn(line, [this.cloth.uv[2 * i]!, this.cloth.uv[2 * i + 1]!]);
      return far < Math.max(ON, 0.004 * lengthOf(line)) ? [{ share, particle: this.cloth.pointParticle[i]! }] : [];
    });
    const particles = found.sort((a, b) => a.share - b.share).map(({ particle }) => particle);
    this.lines.set(key, { made: line, particles });
    return particles;
  }

  private key(panel: number): string {
    return `${this.owner[panel] ?? 0}/${this.names[panel] ?? ""}`;
  }
}
