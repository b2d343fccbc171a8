import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

/** Minimum prose of an article, UTF-16 units. */
export const MIN_ARTICLE_PROSE = 250

/** The content of a page, with the parts of it that were dropped so far. */
export interface Article {
  tree: HtmlTree
  /** The element that contains the content. */
  root: HtmlNode
  /** For each node, the number of the rule that drops it with all its descendants; 0 if none does. */
  dropped: Uint8Array
  /** Sizes of the text in each node, before nodes were dropped from the article. */
  kept: TextMeasure
}
