import { type HtmlNode, type HtmlTree, headingIn, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import { isCode } from './code-parts.ts'
import { ruleNumber } from './dropping-rules.ts'

const REPEATED = ruleNumber('repeated text')

const MIN_CHARS = 40
const MAX_CHARS = 1000
const MAX_NODES = 12
/**
 * Number of preceding blocks with which a block is compared. Repetitions at a greater distance are intended, as in a
 * meal plan or a chorus.
 */
const REACH = 3

/** Parts of lists and tables. A list may have equal items, and a table equal rows. */
const cells = new Set(['tr', 'td', 'th', 'li', 'dt', 'dd'])
/** Elements that a page may repeat on purpose, alone or in a box. Only a copy that directly follows is dropped. */
const repeatable = new Set(['blockquote', 'dl', 'figure', 'menu', 'ol', 'pre', 'table', 'ul'])

/**
 * Drops small blocks that repeat one of the preceding blocks word for word, such as captions of galleries and copies for narrow screens. A
 * repeated paragraph is dropped only if it has another parent than the first one, with as much text. Not dropped are code; lists, tables,
 * quotations and figures with other text in between; a refrain, whose lines are broken, after a verse; and the same text under another
 * heading, because there it is about something else.
 */
export function dropRepeated(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, roots: readonly HtmlNode[]): void {
  const before: HtmlNode[] = []
  let heading = ''
  let isApart = false
  for (const root of roots) {
    for (let i = root.index + 1; i < root.end; i++) {
      const node = tree.nodes[i]!
      if (dropped[i] || isCode(node)) {
        isApart ||= !dropped[i]
        i = node.end - 1
        continue
      }
      const chars = kept.chars[i]!
      const isBlock = node.kind.isBlock && !cells.has(node.tag)
      if (isBlock && chars >= MIN_CHARS && chars <= MAX_CHARS && node.end - i <= MAX_NODES) {
        const at = before.findLastIndex(
          other => kept.chars[other.index] === chars && isRepetition(tree, kept, node, other),
        )
        const isMeant = at >= 0 && mayRepeat(tree, node, { follows: at === before.length - 1, isApart })
        if (at >= 0 && !isMeant) dropped[i] = REPEATED
        else heading = headingAfter(node, heading)
        isApart = false
        before.push(node)
        if (before.length > REACH) before.shift()
        i = node.end - 1
      } else if (node.tag === '') isApart ||= chars > 0
      else if (node.kind.isHeading && chars > 0) heading = headingAfter(node, heading)
    }
  }

  /** Returns the heading that applies after a block. If it is a new one, forgets the preceding blocks, so that none of them is repeated. */
  function headingAfter(block: HtmlNode, current: string): string {
    const own = headingIn(tree, block)
    if (own === undefined) return current
    const text = textOf(tree, own, MAX_CHARS)
    if (text !== current) before.length = 0
    return text
  }
}

/**
 * True if a block may repeat an earlier one.
 *
 * @param options.follows - true if no other block is between the two.
 * @param options.isApart - true if code, or text that is not in a block, directly precedes the block.
 */
function mayRepeat(
  tree: HtmlTree,
  block: HtmlNode,
  { follows, isApart }: { follows: boolean; isApart: boolean },
): boolean {
  if (follows && !isApart) return false
  for (let i = block.index; i < block.end; i++) {
    const { tag } = tree.nodes[i]!
    if (repeatable.has(tag) || (tag === 'br' && !follows)) return true
  }
  return false
}

function isRepetition(tree: HtmlTree, kept: TextMeasure, node: HtmlNode, other: HtmlNode): boolean {
  const [box, otherBox] = [node.parent!, other.parent!]
  if (node.tag === 'p' && (box === otherBox || kept.chars[box.index] !== kept.chars[otherBox.index])) return false
  return textOf(tree, node, MAX_CHARS) === textOf(tree, other, MAX_CHARS)
}
