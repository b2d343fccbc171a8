import { isNamed, nameWords } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { mayHoldDate, parseMachineDate, parseTextDate, type WrittenDate } from '../written-dates/date-text.ts'
import { dateWords } from './date-names.ts'
import type { DateSearch } from './date-search.ts'
import { isLabeledEvent, isNamedEvent } from './event-dates.ts'
import { modifiedWords, type PublishedDate, withoutChange, withSource } from './published-date.ts'
import { isSubject } from './subject-dates.ts'

/** Returns the date of the `<time>` element nearest to the main heading. */
export function fromTimeElement({ tree, boilerplate, heading, orderAt }: DateSearch): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let least = Number.POSITIVE_INFINITY
  let seen = 0
  for (const node of findByTag(tree, 'time')) {
    if (++seen > MAX_TIMES) break
    const distance = Math.abs(node.index - (heading ?? 0))
    if (distance >= least || boilerplate[node.index]! > 0 || isNamedModified(node)) continue
    const value = node.attributes.datetime ?? node.attributes.title ?? textOf(tree, node, 200)
    const date = parseMachineDate(value) ?? parseTextDate(value, orderAt(node))
    if (!date || date.precision === 'year' || modifiedWords.test(labelOf(tree, node))) continue
    if (isSubject(tree, node)) continue
    best = date
    least = distance
  }
  return withSource(best, 'time-element')
}

export const MAX_TIMES = 200
const MAX_DATES = 500

/** True if the class or `itemprop` of an element, or the class of its parent, means a change. */
export function isNamedModified({ attributes, parent }: HtmlNode): boolean {
  return modifiedWords.test(`${attributes.class ?? ''} ${attributes.itemprop ?? ''} ${parent?.attributes.class ?? ''}`)
}

/** Returns the date nearest to the main heading in an element whose class or id means a date. */
export function fromDateClass({ tree, boilerplate, heading, orderAt }: DateSearch): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let least = Number.POSITIVE_INFINITY
  for (const { date, node } of datesByClass(tree, orderAt, boilerplate)) {
    const distance = Math.abs(node.index - (heading ?? 0))
    if (distance < least) [best, least] = [date, distance]
  }
  return withSource(best, 'text')
}

const MAX_LABEL_NODES = 5

/**
 * Returns the last 40 characters of the text before an element, which may be a label such as `Published` or
 * `Last updated on`. Returns '' if the few nodes before it have no text.
 */
export function labelOf(tree: HtmlTree, { index }: HtmlNode): string {
  for (let i = index - 1; i > 0 && i >= index - MAX_LABEL_NODES; i--) {
    const { tag, text } = tree.nodes[i]!
    if (tag === '' && text.trim() !== '') return text.trimEnd().slice(-40)
  }
  return ''
}

const MAX_NAMED_LEVELS = 3
/**
 * Words in names that mean a change. "updated" is not one of them, because the microformat hAtom uses it for the date
 * of every entry.
 */
const changeNames = new WordGroup('changed modified')

/** True if the class or id of an element or a near ancestor means a change, such as `field--name-changed` in Drupal. */
export function isNamedChange(node: HtmlNode): boolean {
  let up: HtmlNode | undefined = node
  for (let level = 0; up && level < MAX_NAMED_LEVELS; level++, up = up.parent) {
    if (isNamed(up, changeNames)) return true
  }
  return false
}

/**
 * Yields the dates in elements whose class or id means a date.
 *
 * @param boilerplate - for each node, above 0 if its dates are left out.
 */
export function* datesByClass(
  tree: HtmlTree,
  orderAt: DateSearch['orderAt'],
  boilerplate: Uint8Array,
): Generator<{ date: WrittenDate; node: HtmlNode }> {
  let seen = 0
  for (const node of tree.nodes) {
    if (node.tag === '' || node.end - node.index > 30) continue
    if (!isNamed(node, dateWords) || nameWords(node).some(word => modifiedWords.test(word))) continue
    if (isNamedChange(node) || isNamedEvent(node) || isLabeledEvent(tree, node)) continue
    if (boilerplate[node.index]! > 0) continue
    if (++seen > MAX_DATES) return
    const text = textOf(tree, node, 200)
    if (text.length > 150 || !mayHoldDate(text)) continue
    const date = parseTextDate(withoutChange(text), orderAt(node))
    if (date) yield { date, node }
  }
}
