import type { HtmlNode, HtmlTree } from './html-tree.ts'

/** Sizes of the text in each node with its descendants, by node index. */
export interface TextMeasure {
  /** Number of visible characters, with white space collapsed. An ideograph or Kana counts as two. */
  chars: Float64Array
  /** Number of visible characters in links. */
  linkChars: Float64Array
  /** Number of visible characters in blocks of prose, which are long enough and mostly not links. */
  prose: Float64Array
}

/** Minimum characters outside of links in a block of prose. A shorter block is a label. */
const MIN_PROSE_CHARS = 60
/** The same minimum for `<p>`, `<pre>` and `<blockquote>`. */
const MIN_PARAGRAPH_CHARS = 25

/**
 * Measures the text in each node of a tree.
 *
 * @param dropped - for each node, 1 if it is left out with all its descendants.
 */
export function measureText(tree: HtmlTree, dropped: Uint8Array): TextMeasure {
  const { nodes } = tree
  const size = nodes.length
  const chars = new Float64Array(size)
  const linkChars = new Float64Array(size)
  const prose = new Float64Array(size)
  const block = new Int32Array(size)
  const inLink = new Uint8Array(size)
  const own = new Float64Array(size)
  const ownLinks = new Float64Array(size)
  for (let i = 1; i < size; i++) {
    if (dropped[i]) {
      i = nodes[i]!.end - 1
      continue
    }
    const { tag, kind, parent } = nodes[i]!
    const parentIndex = parent!.index
    if (tag === '') {
      const length = visibleChars(nodes[i]!)
      chars[i] = length
      own[block[parentIndex]!]! += length
      if (inLink[parentIndex]) {
        linkChars[i] = length
        ownLinks[block[parentIndex]!]! += length
      }
    } else {
      block[i] = kind.isBlock ? i : block[parentIndex]!
      inLink[i] = inLink[parentIndex]! | Number(tag === 'a')
    }
  }
  for (let i = size - 1; i > 0; i--) {
    if (chars[i] === 0) continue
    const { tag, parent } = nodes[i]!
    if (own[i]! > 0) {
      const plain = own[i]! - ownLinks[i]!
      const least = tag === 'p' || tag === 'pre' || tag === 'blockquote' ? MIN_PARAGRAPH_CHARS : MIN_PROSE_CHARS
      if (plain >= least && plain >= own[i]! / 2) prose[i]! += own[i]!
    }
    const up = parent!.index
    chars[up]! += chars[i]!
    linkChars[up]! += linkChars[i]!
    prose[up]! += prose[i]!
  }
  return { chars, linkChars, prose }
}

/** Returns the number of visible characters of a text, counted as in {@link TextMeasure.chars}. Cached. */
export function visibleChars(node: HtmlNode): number {
  if (node.visibleChars < 0) node.visibleChars = countVisible(node.text)
  return node.visibleChars
}

function countVisible(text: string): number {
  let count = 0
  let inSpace = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= 0x20 || code === 0xa0) {
      if (!inSpace) count++
      inSpace = true
    } else {
      count += code >= 0x2e80 && code < 0xd800 ? 2 : 1
      inSpace = false
    }
  }
  return count
}
