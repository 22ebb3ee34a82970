/** Numbers as people type them: "2*12.5cm", "5 1/2 in", "30°". What has no unit is in the field's own. */

/** A unit that a field shows its value in. */
export interface Unit {
  /** what stands behind the number */
  readonly sign: string;
  /** SI units in one of it */
  readonly size: number;
  /** places behind the point that make sense */
  readonly digits: number;
}

const INCH = 0.0254;
export const UNITS = {
  cm: { sign: "cm", size: 0.01, digits: 1 },
  mm: { sign: "mm", size: 0.001, digits: 1 },
  in: { sign: "in", size: INCH, digits: 2 },
  m: { sign: "m", size: 1, digits: 3 },
  degree: { sign: "°", size: Math.PI / 180, digits: 1 },
  percent: { sign: "%", size: 0.01, digits: 0 },
  none: { sign: "", size: 1, digits: 3 },
} as const satisfies Record<string, Unit>;

/** What may stand behind a number, and how much of SI it is; lengths may be added to lengths only. */
const SIGNS: Record<string, { size: number; length: boolean }> = {
  mm: { size: 0.001, length: true }, cm: { size: 0.01, length: true }, m: { size: 1, length: true },
  in: { size: INCH, length: true }, inch: { size: INCH, length: true }, '"': { size: INCH, length: true }, ft: { size: 12 * INCH, length: true },
  "°": { size: Math.PI / 180, length: false }, deg: { size: Math.PI / 180, length: false }, "%": { size: 0.01, length: false },
  ms: { size: 0.001, length: false }, s: { size: 1, length: false }, kg: { size: 1, length: false }, g: { size: 0.001, length: false },
};

interface Amount {
  value: number;
  /** no unit yet: a factor, or a figure in the field's own unit */
  bare: boolean;
}

/** The value in SI units, or null where it is no number. */
export function readQuantity(text: string, unit: Unit): number | null {
  const words = text.trim().replace(/(\d),(\d)/g, "$1.$2").match(/\d*\.?\d+(?:e[-+]?\d+)?|[-+*/()"°%]|[a-zµ²³]+|\S/gi);
  if (!words) return null;
  const rest = new Words(words, unit);
  try {
    const found = rest.sum();
    const value = found.bare ? found.value * unit.size : found.value;
    return rest.done && Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}

class Words {
  private at = 0;

  constructor(private readonly words: readonly string[], private readonly unit: Unit) {}

  get done(): boolean {
    return this.at === this.words.length;
  }

  sum(): Amount {
    let left = this.product();
    for (;;) {
      const sign = this.words[this.at];
      if (sign !== "+" && sign !== "-") return left;
      this.at++;
      const right = this.product();
      const [a, b] = left.bare && right.bare ? [left, right] : [this.fixed(left), this.fixed(right)];
      left = { value: sign === "+" ? a.value + b.value : a.value - b.value, bare: a.bare };
    }
  }

  private product(): Amount {
    let left = this.signed();
    for (;;) {
      const sign = this.words[this.at];
      if (sign !== "*" && sign !== "/") return left;
      this.at++;
      const right = this.signed();
      if (!left.bare && !right.bare && sign === "*") throw new RangeError("an area is no length");
      const bare = left.bare === right.bare;
      left = { value: sign === "*" ? left.value * right.value : left.value / right.value, bare };
    }
  }

  private signed(): Amount {
    const sign = this.words[this.at];
    if (sign === "-" || sign === "+") {
      this.at++;
      const { value, bare } = this.signed();
      return { value: sign === "-" ? -value : value, bare };
    }
    return this.single();
  }

  private single(): Amount {
    const word = this.words[this.at++];
    if (word === "(") {
      const inside = this.sum();
      if (this.words[this.at++] !== ")") throw new RangeError("a bracket is open");
      return inside;
    }
    let value = Number(word);
    if (word === undefined || !Number.isFinite(value)) throw new RangeError("no number");
    // 5 1/2: a whole and a fraction, as on a tape in inches
    const [a, stroke, b] = this.words.slice(this.at, this.at + 3);
    if (a && stroke === "/" && /^\d+$/.test(a) && /^\d+$/.test(b ?? "") && Number.isInteger(value)) {
      value += Number(a) / Number(b);
      this.at += 3;
    }
    const sign = this.words[this.at]?.toLowerCase() ?? "", known = SIGNS[sign] ?? (sign === this.unit.sign.toLowerCase() && sign ? { size: this.unit.size } : undefined);
    if (!known) return { value, bare: true };
    this.at++;
    return { value: value * known.size, bare: false };
  }

  private fixed(amount: Amount): Amount {
    return amount.bare ? { value: amount.value * this.unit.size, bare: false } : amount;
  }
}

/** A value in SI units as a figure in the field's unit, without it. */
export function figure(value: number, unit: Unit, digits = unit.digits): string {
  const shown = value / unit.size;
  // small figures keep three places that count
  const places = shown !== 0 && Math.abs(shown) < 10 ** -digits * 10 ? Math.min(8, 2 - Math.floor(Math.log10(Math.abs(shown)))) : digits;
  return String(Number(shown.toFixed(places)));
}

const THIN = "\u202f";

/** The figure with its unit. */
export function said(value: number, unit: Unit, digits = unit.digits): string {
  return `${figure(value, unit, digits)}${unit.sign ? THIN + unit.sign : ""}`;
}

/** The unit for what a settings class says, such as "m", "rad", "N/m"; lengths are shown as people want them. */
export function unitOf(name: string, lengths: Unit): Unit {
  if (name === "m") return lengths;
  if (name === "rad") return UNITS.degree;
  return { sign: name === "1" ? "" : name, size: 1, digits: 4 };
}
