import { nameOf } from '../html/class-evidence.ts'
import { findByAttribute, findByTag, mergeInPageOrder } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'
import { type DayOrder, orderOfLanguage } from '../written-dates/date-text.ts'

/** The page in which a publish date is searched for, and how its dates are read. */
export interface DateSearch {
  tree: HtmlTree
  /** Node index of the main heading, which names the page. */
  heading: number | undefined
  /**
   * For each node, above 0 if its dates are not those of the page: in quotations, in the masthead, and in the nodes that `findBoilerplate`
   * marks, except near the main heading.
   */
  boilerplate: Uint8Array
  /** For each node, 2 in quotations and in the masthead, otherwise 0. */
  borrowed: Uint8Array
  /** Returns the order of day and month in the text of a node. */
  orderAt: (node: HtmlNode) => DayOrder
}

/** @param boilerplate - the result of `findBoilerplate`. It is not changed. */
export function dateSearch(
  tree: HtmlTree,
  {
    boilerplate: found,
    heading,
    order,
  }: Pick<DateSearch, 'boilerplate' | 'heading'> & { /** The order in the page as a whole. */ order: DayOrder },
): DateSearch {
  const boilerplate = found.slice()
  clearNearHeading(tree, boilerplate, heading)
  const borrowed = borrowedParts(tree, heading)
  for (let i = 0; i < borrowed.length; i++) if (borrowed[i]! > 0) boilerplate[i] = borrowed[i]!
  return { tree, heading, boilerplate, borrowed, orderAt: node => orderAt(node) ?? order }
}

const MAX_LEVELS_TO_LANGUAGE = 32

/** Returns the order in the language that an element around a node declares. Undefined if no element inside of `<html>` does. */
function orderAt(node: HtmlNode): DayOrder | undefined {
  for (let up: HtmlNode | undefined = node, level = 0; up && level < MAX_LEVELS_TO_LANGUAGE; up = up.parent, level++) {
    if (up.tag === 'html') return undefined
    const lang = up.attributes.lang ?? up.attributes['xml:lang']
    if (lang) return orderOfLanguage(lang.slice(0, 60).replaceAll('_', '-'))
  }
  return undefined
}

/**
 * Returns the node index of the main heading. It is the heading that equals the title. If no heading does, it is the first
 * heading of level 1 without a link.
 */
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

/**
 * Unmarks boxes near the main heading. A box there that is called "teaser", "more" or "comment" usually has the byline.
 */
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

/** Maximum length of a link in a byline. A longer link is not a name or topic. */
const MAX_BYLINE_LINK_CHARS = 40

/**
 * True if a box below the title may be the byline. Unlike the boxes of other stories, it has no heading, image or long
 * link.
 */
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

/** Marks quotations, which have their own dates, and the masthead of a newspaper, which shows the current date. */
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
