/** Which particles lie along an edge of the flat pattern: what lights up in the drape when an edge does in 2D. */
import type { ClothMesh } from "toile-viewer";
import { lengthOf, nearestOn, type PieceSeen } from "../pattern/model";

/** nearer to the edge than this and a point lies on it [m] */
const ON = 0.0025;
/** nearer than this and an edge is meant [m] */
const NEAR = 0.03;

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
      const { share, far } = nearestOn(line, turned(this.cloth.uv[2 * i]!, this.cloth.uv[2 * i + 1]!, piece.grain));
      return far < Math.max(ON, 0.004 * lengthOf(line)) ? [{ share, particle: this.cloth.pointParticle[i]! }] : [];
    });
    const particles = found.sort((a, b) => a.share - b.share).map(({ particle }) => particle);
    this.lines.set(key, { made: line, particles });
    return particles;
  }

  /** The edge that is near a particle: of all pieces that meet there, the nearest one. */
  edgeAt(particle: number, find: (garment: number, piece: string) => PieceSeen | undefined): { garment: number; piece: string; edge: number; share: number } | null {
    let best: { garment: number; piece: string; edge: number; share: number } | null = null, least = NEAR;
    for (let i = 0; i < this.cloth.pointParticle.length; i++) {
      if (this.cloth.pointParticle[i] !== particle) continue;
      const garment = this.owner[this.panel[i]!] ?? 0, piece = find(garment, this.names[this.panel[i]!] ?? "");
      if (!piece) continue;
      const at = turned(this.cloth.uv[2 * i]!, this.cloth.uv[2 * i + 1]!, piece.grain);
      for (let edge = 0; edge < piece.edges.length; edge++) {
        const { far, share } = nearestOn(piece.edges[edge]!.line, at);
        if (far < least) [best, least] = [{ garment, piece: piece.piece, edge, share }, far];
      }
    }
    return best;
  }

  private key(panel: number): string {
    return `${this.owner[panel] ?? 0}/${this.names[panel] ?? ""}`;
  }
}

/** Points of the cloth have the warp upright; pieces lie as they were drawn. */
function turned(x: number, y: number, grain: number): [number, number] {
  const [c, s] = [Math.cos(grain), Math.sin(grain)];
  return [c * x - s * y, s * x + c * y];
}
