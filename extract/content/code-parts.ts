import { isLineOfFragment } from '../html/code-listings.ts'
import { findByTag } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

const listingTags = ['pre', 'listing', 'xmp'] as const
const codeTags: ReadonlySet<string> = new Set([...listingTags, 'code', 'kbd', 'samp', 'tt'])

/** True for code. Its text is written as it is, so no rule looks at names and repetitions inside. */
export function isCode(node: HtmlNode): boolean {
  return codeTags.has(node.tag) || isLineOfFragment(node)
}

/** Minimum share of code in the text of a box around code. */
const MIN_CODE_SHARE = 0.5

/** Tells boxes around code from other boxes. */
export interface CodeMeasure {
  /** True if an element has most of its text in listings of code. */
  isMostlyCode: (node: HtmlNode) => boolean
}

/** Measures how much of the text in each element is in listings of code. */
export function measureCode(tree: HtmlTree, { chars }: TextMeasure): CodeMeasure {
  const listings = findByTag(tree, ...listingTags)
  if (listings.length === 0) return { isMostlyCode: () => false }
  const inCode = new Float64Array(tree.nodes.length)
  let end = 0
  for (const listing of listings) {
    if (listing.index < end) continue
    end = listing.end
    inCode[listing.index] = chars[listing.index]!
  }
  for (let i = tree.nodes.length - 1; i > 0; i--)
    if (inCode[i]! > 0) inCode[tree.nodes[i]!.parent!.index]! += inCode[i]!
  return { isMostlyCode: ({ index }) => inCode[index]! > 0 && inCode[index]! >= chars[index]! * MIN_CODE_SHARE }
}
