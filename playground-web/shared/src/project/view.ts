// What was in view when a link was made, so that whoever opens it sees the same. Nothing depends on it: what is unknown, too much or wrong is left out.

export interface View {
  /** The pane in view. */
  pane?: string;
  /** Where one of code and results is in view at a time. */
  side?: "code" | "result";
  /** How much of the page the code has, in percent. */
  columns?: number;
  rows?: number;
  /** Where the cursor is in the file in view: line and character, from 0. */
  cursor?: [line: number, character: number];
  /** The shader had been run as it is. */
  ran?: boolean;
  matrices?: MatricesView;
  buffers?: BufferView[];
  debugger?: DebuggerView;
}

export interface MatricesView {
  /** Whose matrices were recorded, and of which line alone; the dispatch from 0, where it is not the first. */
  dispatch?: number;
  workgroup: [number, number, number];
  subgroup: number;
  onlyLine?: [file: string, line: number];
  /** The operation in view, and which of the times that it was executed. */
  path?: string;
  line?: number;
  title: string;
  time: number;
  look: string;
  matrix?: string;
  ownership?: string;
  /** The selected elements of the view's grids. */
  selected?: [grid: string, index: number][];
}

/** A buffer that was unfolded. */
export interface BufferView {
  name: string;
  look: string;
  matrix?: number;
  table?: boolean;
  /** The selected element of its picture. */
  selected?: number;
}

export interface DebuggerView {
  /** Which one runs, from 0, where it is not the first. */
  dispatch?: number;
  /** In instructions. */
  time: number;
  subgroup: number;
  frame: number;
  checked?: boolean;
  watches?: string[];
}

const MOST = { words: 300, buffers: 64, selected: 4, watches: 32 };

type Given = Record<string, unknown>;

const given = (value: unknown): Given | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Given) : undefined;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isWord = (value: unknown): value is string => typeof value === "string" && value.length <= MOST.words;
const isPercent = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= 100;

const list = <T>(value: unknown, most: number, read: (one: unknown) => T[]): T[] =>
  Array.isArray(value) ? value.slice(0, most).flatMap(read) : [];

/** A place or a grid by name, and a number in it. */
function pair(value: unknown): [string, number][] {
  const [name, number] = Array.isArray(value) ? value : [];
  return isWord(name) && isCount(number) ? [[name, number]] : [];
}

/** Undefined: nothing in it is known. */
export function readView(value: unknown): View | undefined {
  const { pane, side, columns, rows, cursor, ran, matrices, buffers, debugger: stepped } = given(value) ?? {};
  const view: View = {};
  if (isWord(pane)) view.pane = pane;
  if (side === "code" || side === "result") view.side = side;
  if (isPercent(columns)) view.columns = columns;
  if (isPercent(rows)) view.rows = rows;
  const [line, character] = Array.isArray(cursor) ? cursor : [];
  if (isCount(line) && isCount(character)) view.cursor = [line, character];
  if (ran === true) view.ran = true;
  const recorded = readMatrices(given(matrices));
  if (recorded) view.matrices = recorded;
  const unfolded = list(buffers, MOST.buffers, readBuffer);
  if (unfolded.length > 0) view.buffers = unfolded;
  const session = readDebugger(given(stepped));
  if (session) view.debugger = session;
  return Object.keys(view).length > 0 ? view : undefined;
}

function readMatrices(value: Given | undefined): MatricesView | undefined {
  if (!value) return undefined;
  const {
    dispatch,
    workgroup,
    subgroup,
    onlyLine,
    path,
    line,
    title,
    time,
    look,
    matrix,
    ownership,
    selected,
  } = value;
  if (!Array.isArray(workgroup) || workgroup.length !== 3 || !workgroup.every(isCount)) return undefined;
  if (!isCount(subgroup) || !isWord(title) || !isCount(time) || !isWord(look)) return undefined;
  const [x, y, z] = workgroup as [number, number, number];
  const made: MatricesView = { workgroup: [x, y, z], subgroup, title, time, look };
  if (isCount(dispatch)) made.dispatch = dispatch;
  const [only] = pair(onlyLine);
  if (only) made.onlyLine = only;
  if (isWord(path)) made.path = path;
  if (isCount(line)) made.line = line;
  if (isWord(matrix)) made.matrix = matrix;
  if (isWord(ownership)) made.ownership = ownership;
  const elements = list(selected, MOST.selected, pair);
  if (elements.length > 0) made.selected = elements;
  return made;
}

function readBuffer(value: unknown): BufferView[] {
  const { name, look, matrix, table, selected } = given(value) ?? {};
  if (!isWord(name) || !isWord(look)) return [];
  const made: BufferView = { name, look };
  if (isCount(matrix)) made.matrix = matrix;
  if (typeof table === "boolean") made.table = table;
  if (isCount(selected)) made.selected = selected;
  return [made];
}

function readDebugger(value: Given | undefined): DebuggerView | undefined {
  if (!value) return undefined;
  const { dispatch, time, subgroup, frame, checked, watches } = value;
  if (!isCount(time) || !isCount(subgroup) || !isCount(frame)) return undefined;
  const made: DebuggerView = { time, subgroup, frame };
  if (isCount(dispatch)) made.dispatch = dispatch;
  if (checked === true) made.checked = true;
  const watched = list(watches, MOST.watches, (one) => (isWord(one) ? [one] : []));
  if (watched.length > 0) made.watches = watched;
  return made;
}
