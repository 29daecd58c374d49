// The page's icons: lucide's drawings, each imported by its name, so that the page holds those alone which it shows. An icon never stands without
// a label or a title, and is nothing to those who do not see it.

import {
  BookOpen,
  ChevronDown,
  CircleAlert,
  CircleCheck,
  CircleX,
  Code,
  Copy,
  createElement,
  Download,
  ExternalLink,
  FolderOpen,
  type IconNode,
  Info,
  LayoutGrid,
  Moon,
  Pencil,
  Play,
  Plus,
  Share2,
  Square,
  Sun,
  TriangleAlert,
  X,
} from "lucide";

const ICONS = {
  book: BookOpen,
  close: X,
  code: Code,
  copy: Copy,
  down: ChevronDown,
  download: Download,
  error: CircleX,
  examples: LayoutGrid,
  external: ExternalLink,
  folder: FolderOpen,
  good: CircleCheck,
  information: Info,
  light: Sun,
  dark: Moon,
  plus: Plus,
  problem: CircleAlert,
  rename: Pencil,
  run: Play,
  share: Share2,
  stop: Square,
  warning: TriangleAlert,
} satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGElement {
  const made = createElement(ICONS[name], { class: "icon", "aria-hidden": "true" });
  made.dataset.icon = name;
  return made;
}
