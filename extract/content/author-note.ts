import { type HtmlNode, type HtmlTree, headingIn, nextSibling, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { isCode } from './code-parts.ts'
import { ruleNumber } from './dropping-rules.ts'

const AUTHOR_NOTES = ruleNumber('author notes')

/** Minimum share of the article's text that precedes a note about the author. */
const MIN_SHARE_BEFORE = 0.6
const MAX_NOTE_CHARS = 1500
/** Maximum number of nodes in a note. It bounds the time if boxes are nested. */
const MAX_NOTE_NODES = 300
/** Maximum number of characters after the author's name in a box that is only the heading of a note. */
const MAX_CHARS_AFTER_NAME = 30
/** Maximum number of boxes that belong to the note after a box that is only its heading. */
const MAX_FOLLOWING = 2
/** Maximum number of characters before the author's name, for words such as "About" or "Written by". */
const MAX_CHARS_BEFORE_NAME = 20
const MIN_NAME_CHARS = 6
const MAX_AUTHORS = 5

/** Drops the note about the author: a box near the end of an article that begins with the author's name. */
export function dropAuthorNote({ tree, dropped, kept, root }: Article, author: string | undefined): void {
  const names = fullNames(author)
  if (names.length === 0) return
  const enough = kept.chars[root.index]! * MIN_SHARE_BEFORE
  let before = 0
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]!
    if (dropped[i]) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]!
    if (node.tag === '' || isCode(node) || before + chars < enough) {
      before += chars
      i = node.end - 1
    } else if (before >= enough && isSmallBlock(node, chars)) {
      const lead = lengthWithName(textOf(tree, node, 150), names)
      if (lead !== undefined) {
        dropped[i] = AUTHOR_NOTES
        if (chars < lead + MAX_CHARS_AFTER_NAME) dropFollowing(tree, dropped, kept, node)
        i = node.end - 1
      }
    }
  }
}

function isSmallBlock(node: HtmlNode, chars: number): boolean {
  return node.kind.isBlock && chars > 0 && chars <= MAX_NOTE_CHARS && node.end - node.index <= MAX_NOTE_NODES
}

function dropFollowing(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, heading: HtmlNode): void {
  let rest = MAX_NOTE_CHARS
  let count = 0
  for (let next = nextSibling(tree, heading); next && count < MAX_FOLLOWING; next = nextSibling(tree, next)) {
    const chars = kept.chars[next.index]!
    if (chars === 0) continue
    rest -= chars
    if (rest < 0 || headingIn(tree, next)) return
    dropped[next.index] = AUTHOR_NOTES
    count++
  }
}

function fullNames(author = ''): string[] {
  return author
    .toLowerCase()
    .split(/,|;|&| and | und | et | y /, MAX_AUTHORS)
    .map(name => name.trim())
    .filter(name => name.length >= MIN_NAME_CHARS && name.includes(' '))
}

/**
 * Returns the length of the text up to the end of the author's name, if the text begins with the name. Otherwise
 * undefined.
 */
function lengthWithName(text: string, names: readonly string[]): number | undefined {
  const lower = text.toLowerCase()
  for (const name of names) {
    const at = lower.indexOf(name)
    if (at < 0 || at > MAX_CHARS_BEFORE_NAME || /[.!?"“]/.test(lower.slice(0, at))) continue
    return at + name.length
  }
  return undefined
}
