import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

/** UTF-16 units of prose that make an article. */
export const MIN_ARTICLE_PROSE = 250

/** The part of a page that is its content, while what doesn't belong there is removed from it. */
export interface Article {
  tree: HtmlTree
  /** The element that holds the content. */
  root: HtmlNode
  /** By node index, 1 for each node that is left out with all its descendants. Every step of the trimming sets more. */
  dropped: Uint8Array
  /** Text figures without what was dropped before the trimming. */
  kept: TextMeasure
}
