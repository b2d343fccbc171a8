import { blockElements } from './element-kinds.ts'
import { type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import type { TextMeasure } from './text-measure.ts'

const MIN_CHARS = 40
const MAX_CHARS = 1000
const MAX_NODES = 12

/** Farther apart a repetition is meant: a meal plan, a chorus. */
const REACH = 3

/** Drops small blocks that repeat one just before word for word: captions of galleries, copies for narrow screens. */
export function dropRepeated(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, roots: readonly HtmlNode[]): void {
  const before: string[] = []
  for (const root of roots) {
    for (let i = root.index; i < root.end; i++) {
      const node = tree.nodes[i]
      if (dropped[i]) {
        i = node.end - 1
        continue
      }
      const chars = kept.chars[i]
      if (chars < MIN_CHARS || chars > MAX_CHARS || node.end - i > MAX_NODES) continue
      if (
        !blockElements.has(node.tag) ||
        node.tag === 'pre' ||
        node.tag === 'tr' ||
        node.tag === 'td' ||
        node.tag === 'li'
      )
        continue
      const text = textOf(tree, node, MAX_CHARS)
      if (before.includes(text)) dropped[i] = 1
      before.push(text)
      if (before.length > REACH) before.shift()
      i = node.end - 1
    }
  }
}
