import { isNamed } from '../html/class-evidence.ts'
import { WordGroup } from '../html/element-name.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { dateWords } from './date-names.ts'
import { isInColumn, isLabeledEvent, isListed, isNamedEvent } from './event-dates.ts'
import { publishedWords } from './published-date.ts'

/** Number of characters that are read on each side of a date. */
const MAX_SIDE_CHARS = 240
const MAX_SIDE_NODES = 60
const MAX_LEVELS_TO_BLOCK = 16

/** Minimum number of words beside a date that make a sentence: with a full stop, and without one. */
const MIN_SENTENCE_WORDS = 4
const MIN_LONG_WORDS = 10
/** Minimum share of words in lower case in a sentence. The names and topics in a byline are not in lower case. */
const MIN_LOWER_PART = 0.5
/** Minimum length of a sentence in a script without upper case and spaces, such as Chinese. */
const MIN_CASELESS_CHARS = 12

const place = '(?:\\p{Lu}[\\p{L}-]{2,20}(?:\\s\\p{Lu}[\\p{L}-]{2,20})?,?\\s+)?(?:den\\s+)?'
const afterLeading = '\\s*(?:\\(\\p{L}[\\p{L}. /]{1,20}\\)\\s*)?[-–—:)|\\]]'
/** Matches a date in front of the first sentence: `27.1.2022 - `, `(21. November 2022) `, `Berlin, 3. Mai 2020 – `. */
export const leadingDate = new RegExp(`^[\\s([]*${place}[\\d\\p{L}][\\d\\p{L}., /-]{4,25}?\\d{4}${afterLeading}`, 'u')
const beforeLeading = new RegExp(`^[\\s([]*${place}$`, 'u')
const behindLeading = new RegExp(`^${afterLeading}`, 'u')

/** Matches the words of a byline at the start of a line. */
const bylineStart =
  /^[\s(|–—-]*(?:by|von|par|por|di|da|door|av|af|przez|autor|author|texte?|foto|written|geschrieben)\b/i
/** Matches the end of a sentence after a word or a year, not the full stop of an ordinal number or an abbreviation. */
const sentenceEnd = /(?:\p{L}{3}|\d{4})[)\]”"»'’]*[.!?…]["'”’»)\]]*(?:\s+[\p{Lu}"“„«]|\s*$)/u
/** Signs between the parts of a byline. */
const separators = /[|·•‧∙]/u

/**
 * True if a date is a subject of the page rather than the date of the page: microdata says so, or the date is part of a sentence, such as
 * `The founding day was 1 January 2009.` False if the element of the date has a name for dates, or if its line is a byline.
 *
 * @param node - a `<time>` element, or a text with the date.
 */
export function isSubject(tree: HtmlTree, node: HtmlNode): boolean {
  const element = node.tag === '' ? node.parent! : node
  if (isOfEvent(element) || isNamedEvent(element) || isLabeledEvent(tree, node) || isListed(tree, node)) return true
  if (isInColumn(tree, node)) return true
  const block = blockOf(node)
  if (isNamedDate(node) || hasAuthor(tree, block)) return false
  const own = node.tag === '' ? node.text.slice(0, 2 * MAX_SIDE_CHARS) : textOf(tree, node, MAX_SIDE_CHARS)
  if (separators.test(own)) return false
  const before = sideOf(tree, node, block, -1).split(separators).at(-1)!
  const after = sideOf(tree, node, block, 1).split(separators, 1)[0]!
  if (
    node.tag === ''
      ? before.trim() === '' && leadingDate.test(own)
      : beforeLeading.test(before) && behindLeading.test(after)
  )
    return false
  const line = collapse(`${before}${own}${after}`)
  return isSentence(line) && !publishedWords.test(line) && !bylineStart.test(line)
}

/** Properties of microdata, and classes of microformats, for dates of persons, events and organizations. */
const eventDates =
  /(?:^|\s)(?:(?:start|end|birth|death|founding|dissolution)Date|doorTime|validThrough|dt-?(?:start|end)|dt-bday|bday)(?:\s|$)/i

/** True if an element declares a date of something other than the page, such as the start of an event. */
function isOfEvent({ attributes }: HtmlNode): boolean {
  return eventDates.test(`${attributes.itemprop?.slice(0, 200) ?? ''} ${attributes.class?.slice(0, 200) ?? ''}`)
}

/** Words in classes and ids that mean a byline. */
const bylineNames = new WordGroup('byline meta submitted postmeta entrymeta articlemeta postinfo')

/** True if a block links to the author of the page or names the author in microdata. */
function hasAuthor(tree: HtmlTree, block: HtmlNode | undefined): boolean {
  if (block === undefined || block.end - block.index > MAX_SIDE_NODES) return false
  for (let i = block.index; i < block.end; i++) {
    const { rel, itemprop } = tree.nodes[i]!.attributes
    if (/\bauthor\b/i.test(`${rel?.slice(0, 200) ?? ''} ${itemprop?.slice(0, 200) ?? ''}`)) return true
  }
  return false
}

/** True if the element of a date, or its line, has a name that means a date or byline, or declares a publish date. */
function isNamedDate(node: HtmlNode): boolean {
  let up: HtmlNode | undefined = node.tag === '' ? node.parent : node
  for (let level = 0; up && level < MAX_LEVELS_TO_BLOCK; level++, up = up.parent) {
    const { pubdate, itemprop = '' } = up.attributes
    if (pubdate !== undefined || /published|created/i.test(itemprop.slice(0, 200))) return true
    if (up.tag === 'address' || isNamed(up, dateWords) || isNamed(up, bylineNames)) return true
    if (up.kind.isBlock) return false
  }
  return false
}

function isSentence(line: string): boolean {
  const words = line.match(/\p{L}[\p{L}\p{M}’']*/gu) ?? []
  if (words.length === 0) return false
  const caseless =
    words.join('').match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  if (caseless > MIN_CASELESS_CHARS) return /[。！？]/.test(line) || caseless > 3 * MIN_CASELESS_CHARS
  const lower = words.filter(word => word.length > 1 && word === word.toLowerCase()).length
  if (lower < words.length * MIN_LOWER_PART) return false
  return words.length >= (sentenceEnd.test(line) ? MIN_SENTENCE_WORDS : MIN_LONG_WORDS)
}

function blockOf(node: HtmlNode): HtmlNode | undefined {
  let up = node.parent
  for (let level = 0; up && !up.kind.isBlock && level < MAX_LEVELS_TO_BLOCK; level++) up = up.parent
  return up
}

/** Returns the text before or after a node in its line, which ends at a block, a line break or the end of the block. */
function sideOf(tree: HtmlTree, node: HtmlNode, block: HtmlNode | undefined, step: 1 | -1): string {
  if (block === undefined) return ''
  const parts: string[] = []
  let length = 0
  let i = step === 1 ? node.end : node.index - 1
  for (let seen = 0; seen < MAX_SIDE_NODES && length < MAX_SIDE_CHARS; seen++, i += step) {
    const other = tree.nodes[i]
    if (other === undefined || i <= block.index || i >= block.end || other.kind.isBlock || other.tag === 'br') break
    if (other.tag !== '' || other.parent!.kind.isUnseen) continue
    if (step === -1 && blockOf(other) !== block) break
    parts.push(step === 1 ? other.text.slice(0, MAX_SIDE_CHARS) : other.text.slice(-MAX_SIDE_CHARS))
    length += other.text.length
  }
  return (step === 1 ? parts : parts.reverse()).join('')
}
