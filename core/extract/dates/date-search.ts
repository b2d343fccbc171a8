import type { DayOrder } from '../../dates/date-text.ts'
import { nameOf } from '../html/class-evidence.ts'
import { findByAttribute, findByTag, mergeInPageOrder } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'

/** Where the publish date of a page may be, and how its dates are read. */
export interface DateSearch {
  tree: HtmlTree
  /** Node index of the heading that names the page. */
  heading: number | undefined
  /**
   * By node index, above 0 for each node whose dates are not about the page: the marks of `findBoilerplate`, except next to the main
   * heading, and 2 for borrowed parts.
   */
  boilerplate: Uint8Array
  /** By node index, 2 for quotations and the masthead, otherwise 0. */
  borrowed: Uint8Array
  order: DayOrder
}

/** @param boilerplate - the result of `findBoilerplate`. It is copied. */
export function dateSearch(
  tree: HtmlTree,
  { boilerplate: found, heading, order }: Pick<DateSearch, 'boilerplate' | 'heading' | 'order'>,
): DateSearch {
  const boilerplate = found.slice()
  clearNearHeading(tree, boilerplate, heading)
  const borrowed = borrowedParts(tree, heading)
  for (let i = 0; i < borrowed.length; i++) if (borrowed[i]! > 0) boilerplate[i] = borrowed[i]!
  return { tree, heading, boilerplate, borrowed, order }
}

/** Returns the node index of the heading that names the page: the one with its title, or else the first of level 1 without a link. */
export function mainHeading({ headings, subheadings }: PageMetadata, title: string): number | undefined {
  const own =
    [...headings, ...subheadings].find(({ text }) => text === title) ??
    headings.find(({ href }) => href === undefined) ??
    headings[0] ??
    subheadings[0]
  return own?.index
}

const HEADING_NODES_BEFORE = 30
const HEADING_NODES_AFTER = 40

/** Clears the marks of boxes next to the main heading. There, a box called "teaser", "more" or "comment" usually contains the byline. */
function clearNearHeading(tree: HtmlTree, boilerplate: Uint8Array, heading: number | undefined): void {
  if (heading === undefined) return
  const last = Math.min(boilerplate.length, heading + HEADING_NODES_AFTER)
  const own = Math.max(1, boilerplate[heading]!)
  for (let i = Math.max(0, heading - HEADING_NODES_BEFORE); i < last; i++)
    if (boilerplate[i]! <= own) boilerplate[i] = 0
  for (const box of findByTag(tree, 'aside', 'footer')) {
    if (box.index > heading && box.index < last && isByline(tree, box)) boilerplate.fill(0, box.index, box.end)
  }
}

const MAX_BYLINE_NODES = 40

/** A longer link is not a name or topic. */
const MAX_BYLINE_LINK_CHARS = 40

/** True if a box below the title may be its byline. A byline has no heading, image or long link; the boxes of other stories have. */
function isByline(tree: HtmlTree, box: HtmlNode): boolean {
  if (box.end - box.index > MAX_BYLINE_NODES || nameOf(box).boilerplate === 2) return false
  for (let i = box.index + 1; i < box.end; i++) {
    const { tag, kind } = tree.nodes[i]!
    if (kind.isHeading || tag === 'article' || tag === 'img') return false
    if (tag === 'a' && textOf(tree, tree.nodes[i]!, 2 * MAX_BYLINE_LINK_CHARS).length > MAX_BYLINE_LINK_CHARS)
      return false
  }
  return true
}

/** Finds quotations, which have dates of their own, and the masthead of a newspaper, which shows the current date. */
function borrowedParts(tree: HtmlTree, heading = -1): Uint8Array {
  const borrowed = new Uint8Array(tree.nodes.length)
  let marked = 0
  for (const { tag, attributes, index, end } of mergeInPageOrder(
    findByTag(tree, 'blockquote'),
    findByAttribute(tree, 'role'),
  )) {
    if (index < marked || (tag !== 'blockquote' && (attributes.role !== 'banner' || heading < 0))) continue
    if (heading >= index && heading < end) continue
    borrowed.fill(2, index, end)
    marked = end
  }
  return borrowed
}
