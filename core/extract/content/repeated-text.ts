import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

const MIN_CHARS = 40
const MAX_CHARS = 1000
const MAX_NODES = 12

const mayRepeat = new Set(['pre', 'tr', 'td', 'li'])

/**
 * Number of preceding blocks with which a block is compared. Repetitions at a greater distance are intended, as in a
 * meal plan or a chorus.
 */
const REACH = 3

/**
 * Drops small blocks that repeat one of the preceding blocks word for word, such as captions of galleries and copies
 * for narrow screens. A repeated paragraph is dropped only if its parent is a copy, with as much text as the parent of
 * the first.
 */
export function dropRepeated(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, roots: readonly HtmlNode[]): void {
  const before: HtmlNode[] = []
  for (const root of roots) {
    for (let i = root.index; i < root.end; i++) {
      const node = tree.nodes[i]!
      if (dropped[i]) {
        i = node.end - 1
        continue
      }
      const chars = kept.chars[i]!
      if (chars < MIN_CHARS || chars > MAX_CHARS || node.end - i > MAX_NODES) continue
      if (!node.kind.isBlock || mayRepeat.has(node.tag)) continue
      if (before.some(other => kept.chars[other.index] === chars && isRepetition(tree, kept, node, other)))
        dropped[i] = 1
      before.push(node)
      if (before.length > REACH) before.shift()
      i = node.end - 1
    }
  }
}

function isRepetition(tree: HtmlTree, kept: TextMeasure, node: HtmlNode, other: HtmlNode): boolean {
  const [box, otherBox] = [node.parent!, other.parent!]
  if (node.tag === 'p' && (box === otherBox || kept.chars[box.index] !== kept.chars[otherBox.index])) return false
  return textOf(tree, node, MAX_CHARS) === textOf(tree, other, MAX_CHARS)
}
