import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

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
