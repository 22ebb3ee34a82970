/** Icons of the Lucide set, drawn as elements: no markup strings, nothing inline. */
import {
  Activity, ArrowLeftRight, Box, Camera, Check, ChevronDown, CircleDot, CircleHelp, CircleStop, Code, Columns2, Copy, CornerUpLeft, CornerUpRight, Download, Eye,
  FilePlus, FlipHorizontal2, FolderOpen, Flame, Footprints, Grid3x3, Hand, Layers, Link, Link2, ListChecks, Magnet, Maximize, Menu, Moon, MousePointer2, Palette, Pause,
  PersonStanding, Pin, Play, Plus, RotateCcw, Ruler, Save, Scissors, Search, Settings2, Shirt, SkipBack, Spline, SquareDashed, StepForward, Sun, Trash2, Triangle, Unlink,
  Upload, Wind, X, type IconNode,
} from "lucide";

const ICONS = {
  graph: Activity, swap: ArrowLeftRight, box: Box, camera: Camera, check: Check, open: ChevronDown, record: CircleDot, help: CircleHelp, stop: CircleStop, code: Code,
  compare: Columns2, copy: Copy, undo: CornerUpLeft, redo: CornerUpRight, download: Download, eye: Eye, add: FilePlus, mirror: FlipHorizontal2, folder: FolderOpen,
  walk: Footprints, wire: Grid3x3, grab: Hand, layers: Layers, seam: Link2, link: Link, confirm: ListChecks, magnet: Magnet, whole: Maximize, menu: Menu, dark: Moon,
  select: MousePointer2, map: Palette, pause: Pause, person: PersonStanding, pin: Pin, play: Play, plus: Plus, reset: RotateCcw, measure: Ruler, save: Save, cut: Scissors,
  search: Search, settings: Settings2, cloth: Shirt, back: SkipBack, curve: Spline, piece: SquareDashed, step: StepForward, light: Sun, remove: Trash2, dart: Triangle,
  unlink: Unlink, iron: Flame, upload: Upload, wind: Wind, close: X, point: CircleDot,
} as const satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;
const SVG = "http://www.w3.org/2000/svg";

/** An icon beside a word: screen readers skip it. */
export function icon(name: IconName): SVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) drawing.setAttribute(key, value);
  for (const [tag, attributes] of ICONS[name]) {
    const shape = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, String(value));
    drawing.append(shape);
  }
  return drawing;
}
