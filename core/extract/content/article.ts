import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

/** Minimum prose of an article, UTF-16 units. */
export const MIN_ARTICLE_PROSE = 250

/** The content of a page, while parts that do not belong to it are being removed. */
export interface Article {
  tree: HtmlTree
  /** The element that holds the content. */
  root: HtmlNode
  /** By node index, 1 for each node that is left out with all its descendants. Each trimming step sets more entries to 1. */
  dropped: Uint8Array
  /** The text figures of the page before the trimming. */
  kept: TextMeasure
}
