import { clip } from '../characters/surrogates.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { mayHoldDate, parseTextDate, type WrittenDate } from '../written-dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import { isNamedChange } from './marked-dates.ts'
import { modifiedWords, type PublishedDate, publishedWords, withoutChange, withSource } from './published-date.ts'
import { isSubject, leadingDate } from './subject-dates.ts'

/** Matches words before a date that do not say what the date is. */
const weakLabel = /(?:^|\s)(?:dated|date|datum|fecha|data|stand|vom|am|on|le)[\s:]/i
const copyright = /©|copyright|\(c\)/i
const MAX_TEXTS = 4000
const SHORT_CHARS = 60
/** Maximum length of a text that is only a date, perhaps with weekday or time. */
const MAX_DATE_CHARS = 26

/**
 * Returns the date in the text that is most likely the publish date: alone, labeled, at the start of a paragraph, or
 * near the main heading.
 */
export function fromText({ tree, boilerplate, heading, orderAt }: DateSearch): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let bestScore = 0
  let seen = 0
  let before: HtmlNode | undefined
  for (const node of tree.nodes) {
    if (node.tag !== '') continue
    const labelNode = before
    const label = before?.text ?? ''
    if (node.text.length < SHORT_CHARS * 2 && node.text.trim() !== '') before = node
    if (node.text.length < 6 || !mayHoldDate(node.text)) continue
    const parent = node.parent!
    if (parent.tag === 'script' || parent.tag === 'style' || parent.tag === 'title' || parent.tag === 'option') continue
    if (++seen > MAX_TEXTS) break
    const text = withoutChange(clip(node.text.trim(), 200))
    if (copyright.test(text)) continue
    if (isLabeledChange(labelNode, node) || isNamedChange(parent)) continue
    const isShort = text.length < SHORT_CHARS
    const leads = !isShort && leadingDate.test(text)
    const date = parseTextDate(leads ? text.slice(0, SHORT_CHARS) : text, orderAt(node))
    const isNamed = publishedWords.test(text) || (isShort && publishedWords.test(label))
    if (!date || boilerplate[node.index]! > (isNamed ? 1 : 0)) continue
    if (isSubject(tree, node)) continue
    const isPart = isInSentence(tree, node)
    const isAlone = text.length <= MAX_DATE_CHARS && !isPart && parent.tag !== 'a'
    const isLabeled = isNamed || (isShort && (weakLabel.test(text) || weakLabel.test(label)))
    const distance = Math.abs(node.index - (heading ?? 0))
    const score =
      (isAlone ? 1.5 : (isShort && !isPart) || leads ? 1 : 0) + (isLabeled ? 1 : 0) + 2 / (1 + distance / 15)
    if (score > bestScore && (isShort || score > 1)) {
      best = date
      bestScore = score
    }
  }
  return withSource(best, 'text')
}

const MAX_NODES_TO_LABEL = 6

const MAX_LINE_CHARS = 120
const MAX_LINE_NODES = 200

/** True if a text is part of a sentence, such as a date in bold. */
function isInSentence(tree: HtmlTree, { parent }: HtmlNode): boolean {
  const line = parent?.parent
  if (parent === undefined || line === undefined || parent.kind.isBlock) return false
  if (line.end - line.index > MAX_LINE_NODES) return false
  return textOf(tree, line, MAX_LINE_CHARS * 2).length > MAX_LINE_CHARS
}

/**
 * True if the text before a date is a label such as `Last updated`. The label must be an element of its own or next to
 * the date's element.
 */
function isLabeledChange(label: HtmlNode | undefined, { index, parent }: HtmlNode): boolean {
  const line = parent?.parent
  if (label === undefined || line === undefined || label.text.length >= SHORT_CHARS) return false
  return label.index > line.index && index - label.index <= MAX_NODES_TO_LABEL && modifiedWords.test(label.text)
}

const NODES_BEFORE_HEADING = 30
const NODES_AFTER_HEADING = 60
const MAX_CHARS_BESIDE_HEADING = 120
const MAX_CHARS_ALONE = 40

/**
 * Returns the date near the main heading that is labeled as published. If no date is labeled, returns the first date after
 * the heading, and if no date follows, the last date before the heading.
 *
 * @param options.isAlone - true to accept only texts with little besides the date. Default: any short text.
 */
export function shownNearHeading(
  { tree, heading, boilerplate, orderAt }: DateSearch,
  options: { isAlone: boolean } = { isAlone: false },
): WrittenDate | undefined {
  if (heading === undefined || boilerplate[heading]! > 0) return undefined
  const most = options.isAlone ? MAX_CHARS_ALONE : MAX_CHARS_BESIDE_HEADING
  const last = Math.min(tree.nodes.length, tree.nodes[heading]!.end + NODES_AFTER_HEADING)
  let label: HtmlNode | undefined
  let above: WrittenDate | undefined
  let below: WrittenDate | undefined
  for (let i = Math.max(0, heading - NODES_BEFORE_HEADING); i < last; i++) {
    const node = tree.nodes[i]!
    if (node.tag !== '' || node.parent!.kind.isUnseen || node.text.trim() === '') continue
    const before = label
    label = node
    if (boilerplate[i]! > 0 || !mayHoldDate(node.text) || node.text.trim().length > most) continue
    if (isLabeledChange(before, node) || isNamedChange(node.parent!)) continue
    const text = withoutChange(node.text)
    const date = parseTextDate(text, orderAt(node))
    if (!date || copyright.test(text) || (options.isAlone && isInSentence(tree, node))) continue
    if (isSubject(tree, node)) continue
    if (publishedWords.test(text)) return date
    if (i < heading) above = date
    else below ??= date
  }
  return below ?? above
}
