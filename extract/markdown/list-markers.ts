import { type HtmlNode, type HtmlTree, nextSibling } from '../html/html-tree.ts'

/** Maximum number of an item in CommonMark, which has at most nine digits. */
const MAX_NUMBER = 999_999_999

/** How the items of a list are marked. */
interface ListState {
  /** The number of the next item; undefined for a list with bullets. */
  next: number | undefined
  step: 1 | -1
  /** How numbers are written: `1`, `a`, `A`, `i` or `I`. */
  type: string
  /**
   * The sign after a number. CommonMark takes only the first number as written and counts on from there, until the sign changes. So the
   * sign changes where a number jumps.
   */
  delimiter: '.' | ')'
  /** The number that CommonMark would give the next item; undefined before the first one. */
  counted: number | undefined
  /** Width of the marker of the last item; 0 before the first one. */
  width: number
}

/** The marker of an item, and what is written at the start of the item's text. */
export interface ItemMarker {
  marker: string
  label: string
}

/** The open lists of a page, and the markers of their items. */
export class ListMarkers {
  readonly #lists: ListState[] = []

  open(tree: HtmlTree, list: HtmlNode): void {
    const { tag, attributes } = list
    const isReversed = attributes.reversed !== undefined
    const start = integer(attributes.start)
    this.#lists.push({
      next: tag === 'ol' ? (start ?? (isReversed ? countItems(tree, list) : 1)) : undefined,
      step: isReversed ? -1 : 1,
      type: typeOf(list) ?? '1',
      delimiter: '.',
      counted: undefined,
      width: 0,
    })
  }

  close(): void {
    this.#lists.pop()
  }

  /** Width of the marker of the last item of the innermost list; 0 if it has none. */
  get width(): number {
    return this.#lists.at(-1)?.width ?? 0
  }

  /** Returns the marker of the next item of the innermost list. */
  next(tree: HtmlTree, item: HtmlNode): ItemMarker {
    const list = this.#lists.at(-1)
    const box = checkBoxIn(tree, item)
    const label = box === undefined ? '' : `${boxText(box)} `
    if (list?.next === undefined) {
      if (list) list.width = 2
      return { marker: '-', label }
    }
    const number = integer(item.attributes.value) ?? list.next
    list.next = number + list.step
    const type = typeOf(item) ?? list.type
    if (type !== '1' || number < 0 || number > MAX_NUMBER) {
      list.width = 2
      list.counted = undefined
      return { marker: '-', label: `${numeral(number, type)}. ${label}` }
    }
    if (list.counted !== undefined && list.counted !== number) list.delimiter = list.delimiter === '.' ? ')' : '.'
    list.counted = number + 1
    const marker = `${number}${list.delimiter}`
    list.width = marker.length + 1
    return { marker, label }
  }
}

function integer(written: string | undefined): number | undefined {
  if (written === undefined || !/^\s*[+-]?\d{1,9}/.test(written)) return undefined
  return Number.parseInt(written, 10)
}

const styledTypes = new Map([
  ['lower-alpha', 'a'],
  ['lower-latin', 'a'],
  ['upper-alpha', 'A'],
  ['upper-latin', 'A'],
  ['lower-roman', 'i'],
  ['upper-roman', 'I'],
])

/** Returns the type that a list or item declares, by attribute or style. */
function typeOf({ attributes: { type, style } }: HtmlNode): string | undefined {
  if (type !== undefined && /^[1aAiI]$/.test(type)) return type
  const styled = style && /list-style(?:-type)?\s*:\s*([a-z-]+)/i.exec(style.slice(0, 500))?.[1]?.toLowerCase()
  return styled === undefined ? undefined : styledTypes.get(styled)
}

function numeral(number: number, type: string): string {
  if (number < 1 || number > 3999 || type === '1') return String(number).replace('-', '−')
  const lower = type === 'a' || type === 'A' ? letters(number) : roman(number)
  return type === 'A' || type === 'I' ? lower.toUpperCase() : lower
}

function letters(number: number): string {
  let text = ''
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(0x61 + ((rest - 1) % 26)) + text
  return text
}

const romans: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(number: number): string {
  let text = ''
  let rest = number
  for (const [value, sign] of romans) {
    text += sign.repeat(Math.floor(rest / value))
    rest %= value
  }
  return text
}

function countItems(tree: HtmlTree, list: HtmlNode): number {
  let count = 0
  let child = list.end > list.index + 1 ? tree.nodes[list.index + 1] : undefined
  for (; child; child = nextSibling(tree, child)) if (child.tag === 'li') count++
  return count
}

/**
 * Returns the check box of a table cell without text as `[x]` or `[ ]`. Returns '' if the cell has no check box, or an empty one that
 * readers can check, which only selects the row.
 */
export function boxOfCell(tree: HtmlTree, cell: HtmlNode): string {
  for (let i = cell.index + 1; i < Math.min(cell.end, cell.index + MAX_NODES_BEFORE_BOX); i++) {
    const node = tree.nodes[i]!
    const isChecked = checkBox(node)
    if (isChecked !== undefined && (isChecked || node.attributes.disabled !== undefined)) return boxText(isChecked)
  }
  return ''
}

function boxText(isChecked: boolean): string {
  return isChecked ? '[x]' : '[ ]'
}

/** Maximum number of nodes at the start of an item, or of a cell, in which a check box is searched for. */
const MAX_NODES_BEFORE_BOX = 5

/** Returns whether the check box at the start of an item is checked; undefined if there is none. */
function checkBoxIn(tree: HtmlTree, item: HtmlNode): boolean | undefined {
  for (let i = item.index + 1; i < Math.min(item.end, item.index + MAX_NODES_BEFORE_BOX); i++) {
    const node = tree.nodes[i]!
    const { tag, text } = node
    const isChecked = checkBox(node)
    if (isChecked !== undefined || tag === 'input') return isChecked
    if (tag === '' ? text.trim() !== '' : !['label', 'p', 'span', 'div'].includes(tag)) return undefined
  }
  return undefined
}

/** Returns true if a check box is checked, and false if not. A check box may have ARIA attributes only. Undefined for other elements. */
function checkBox({ tag, attributes }: HtmlNode): boolean | undefined {
  if (tag === 'input')
    return attributes.type?.toLowerCase() === 'checkbox' ? attributes.checked !== undefined : undefined
  if (attributes.role !== 'checkbox' || attributes['aria-checked'] === undefined) return undefined
  return attributes['aria-checked'] === 'true'
}
