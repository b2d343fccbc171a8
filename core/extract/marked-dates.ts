import { isNamed, nameWords } from './class-evidence.ts'
import { type DayOrder, parseMachineDate, parseTextDate, type WrittenDate } from './date-text.ts'
import { tagged } from './element-index.ts'
import { WordGroup } from './element-name.ts'
import { type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import { modifiedWords, type PublishedDate, withoutChange, withSource } from './published-date.ts'

/** A `<time>` farther from the heading belongs to something else, unless it says that it is the page's. */
export const MAX_NODES_TO_TIME = 800

/** The `<time>` nearest the heading, one called published before others. */
export function fromTimeElement(
  tree: HtmlTree,
  sideline: Uint8Array,
  heading: number | undefined,
  order: DayOrder,
  reach: number,
): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let bestScore = 0
  for (const { date, isPublished, index } of timeElements(tree, sideline, order)) {
    const distance = Math.abs(index - (heading ?? 0))
    if (!isPublished && heading !== undefined && distance > reach) continue
    const score = (isPublished ? 2 : 1) + 1 / (1 + distance / 20)
    if (score > bestScore) {
      best = date
      bestScore = score
    }
  }
  return withSource(best, 'time-element')
}

/** The `<time>` called published, when all of those on the page show the same day: stories to read next have others. */
export function fromOnlyPublishedTime(
  tree: HtmlTree,
  sideline: Uint8Array,
  order: DayOrder,
): PublishedDate | undefined {
  let only: WrittenDate | undefined
  for (const { date, isPublished } of timeElements(tree, sideline, order)) {
    if (!isPublished) continue
    if (only && only.iso.slice(0, 10) !== date.iso.slice(0, 10)) return undefined
    only ??= date
  }
  return withSource(only, 'time-element')
}

/** Whether a `<time>`, or the box around it, says that it is a publish date. */
export function isPublishedTime({ attributes, parent }: HtmlNode): boolean {
  return attributes.pubdate !== undefined || publishedNames.test(namesAround(attributes, parent))
}

const publishedNames = /publi[sc]|entry-date|post-date/

function namesAround(own: HtmlNode['attributes'], parent: HtmlNode | undefined): string {
  return `${own.class ?? ''} ${own.itemprop ?? ''} ${parent?.attributes.class ?? ''}`
}

const MAX_TIMES = 200

interface TimeElement {
  date: WrittenDate
  /** The element or its box says that it is a publish date. */
  isPublished: boolean
  index: number
}

function* timeElements(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): Generator<TimeElement> {
  let seen = 0
  for (const node of tagged(tree, 'time', 'abbr')) {
    if (node.tag === 'abbr' && !/published|date/.test(node.attributes.class ?? '')) continue
    if (++seen > MAX_TIMES) return
    const words = namesAround(node.attributes, node.parent)
    if (modifiedWords.test(words) || sideline[node.index]) continue
    const shown = textOf(tree, node, 200)
    const value = node.attributes.datetime ?? node.attributes.title ?? shown
    const date = parseMachineDate(value) ?? parseTextDate(value, order) ?? parseTextDate(shown, order)
    if (!date) continue
    const before = tree.nodes[node.index - 1]
    if (before?.tag === '' && modifiedWords.test(before.text.slice(-40))) continue
    const isPublished = node.attributes.pubdate !== undefined || publishedNames.test(words)
    yield { date, isPublished, index: node.index }
  }
}

const dateWords = new WordGroup(
  'date dateline datetime published pubdate publishdate publish posted posttime timestamp time postdate entrydate datum fecha datestamp',
)

/** The first text whose class or id calls it a date. */
export function fromDateClass(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): PublishedDate | undefined {
  for (const date of datesByClass(tree, sideline, order)) return withSource(date, 'text')
  return undefined
}

/** The date of the page's sidelines, when all that is called a date there is the same day: other stories have others. */
export function fromOnlyDateClass(tree: HtmlTree, borrowed: Uint8Array, order: DayOrder): PublishedDate | undefined {
  let only: WrittenDate | undefined
  for (const date of datesByClass(tree, borrowed, order)) {
    if (only && only.iso.slice(0, 10) !== date.iso.slice(0, 10)) return undefined
    only ??= date
  }
  return withSource(only, 'text')
}

const MAX_NAMED_LEVELS = 3
/** Not "updated": in the microformat hAtom that names the date of an entry as such. */
const changeNames = new WordGroup('changed modified')

/** Whether an element or a box right around it is named after a change, as Drupal's `field--name-changed`. */
export function isNamedChange(node: HtmlNode): boolean {
  let up: HtmlNode | undefined = node
  for (let level = 0; up && level < MAX_NAMED_LEVELS; level++, up = up.parent) {
    if (isNamed(up, changeNames)) return true
  }
  return false
}

function* datesByClass(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): Generator<WrittenDate> {
  for (const node of tree.nodes) {
    if (node.tag === '' || node.end - node.index > 30) continue
    if (!isNamed(node, dateWords) || nameWords(node).some(word => modifiedWords.test(word))) continue
    if (isNamedChange(node)) continue
    const text = textOf(tree, node, 200)
    if (text.length > 150 || sideline[node.index]) continue
    const date = parseTextDate(withoutChange(text), order)
    if (date) yield date
  }
}
