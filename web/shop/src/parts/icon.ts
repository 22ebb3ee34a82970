/** Icons of the Lucide set, drawn as elements: no markup strings, nothing inline. */
import {
  ArrowDown, ArrowUp, Camera, Check, ChevronDown, ChevronLeft, ChevronRight, CircleAlert, Columns2, Download, Eye,
  EyeOff, Footprints, GripVertical, Hand, Armchair, Layers, Link, Minus, Palette, Pause, PersonStanding, Play, Plus,
  RefreshCw, RotateCcw, RotateCw, Ruler, ScanLine, Scissors, Share2, Shirt, ShoppingBag, Store, Trash2, Upload,
  WifiOff, Wind, X, ZoomIn, ZoomOut, type IconNode,
} from "lucide";

const ICONS = {
  down: ArrowDown, up: ArrowUp, camera: Camera, check: Check, open: ChevronDown, left: ChevronLeft, right: ChevronRight,
  alert: CircleAlert, compare: Columns2, download: Download, eye: Eye, hidden: EyeOff, walk: Footprints, grip: GripVertical,
  reach: Hand, sit: Armchair, layers: Layers, link: Link, minus: Minus, map: Palette, pause: Pause, stand: PersonStanding,
  play: Play, plus: Plus, retry: RefreshCw, undo: RotateCcw, turn: RotateCw, ruler: Ruler, scan: ScanLine,
  scissors: Scissors, share: Share2, shirt: Shirt, basket: ShoppingBag, store: Store, delete: Trash2, upload: Upload,
  offline: WifiOff, wind: Wind, close: X, closer: ZoomIn, farther: ZoomOut,
} as const satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;
const SVG = "http://www.w3.org/2000/svg";

/** An icon beside a word: screen readers skip it. */
export function icon(name: IconName): SVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) {
    drawing.setAttribute(key, value);
  }
  for (const [tag, attributes] of ICONS[name]) {
    const shape = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, String(value));
    drawing.append(shape);
  }
  return drawing;
}
