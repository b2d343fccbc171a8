import { having, inPageOrder, tagged } from './element-index.ts'
import type { HtmlTree } from './html-tree.ts'
import type { PageFacts } from './page-facts.ts'

/** Which parts of a page hold dates of other things, by node index. */
export interface DateParts {
  /** As `findSidelines` marks it, without what stands by the main heading, with what is borrowed. */
  sideline: Uint8Array
  /** Quotations and the masthead: 2. */
  borrowed: Uint8Array
}

export function partsForDates(tree: HtmlTree, sidelines: Uint8Array, heading: number | undefined): DateParts {
  const sideline = sidelines.slice()
  clearNearHeading(sideline, heading)
  const borrowed = borrowedParts(tree, heading)
  for (let i = 0; i < borrowed.length; i++) if (borrowed[i] > 0) sideline[i] = borrowed[i]
  return { sideline, borrowed }
}

/** The heading that names the page: the one with its title, else the first of level 1 that is no link to another one. */
export function mainHeading({ headings, subheadings }: PageFacts, title: string): number | undefined {
  const own =
    [...headings, ...subheadings].find(({ text }) => text === title) ??
    headings.find(({ href }) => href === undefined) ??
    headings[0] ??
    subheadings[0]
  return own?.index
}

const HEADING_NODES_BEFORE = 30
const HEADING_NODES_AFTER = 40

/** Next to the main heading a box called "teaser", "more" or "comment" holds the page's own byline. */
function clearNearHeading(sideline: Uint8Array, heading: number | undefined): void {
  if (heading === undefined) return
  const last = Math.min(sideline.length, heading + HEADING_NODES_AFTER)
  const own = Math.max(1, sideline[heading])
  for (let i = Math.max(0, heading - HEADING_NODES_BEFORE); i < last; i++) if (sideline[i] <= own) sideline[i] = 0
}

/** What a page quotes has dates of its own, and the masthead of a paper carries the day on which it is read. */
function borrowedParts(tree: HtmlTree, heading = -1): Uint8Array {
  const borrowed = new Uint8Array(tree.nodes.length)
  let marked = 0
  for (const { tag, attributes, index, end } of inPageOrder(tagged(tree, 'blockquote'), having(tree, 'role'))) {
    if (index < marked || (tag !== 'blockquote' && (attributes.role !== 'banner' || heading < 0))) continue
    if (heading >= index && heading < end) continue
    borrowed.fill(2, index, end)
    marked = end
  }
  return borrowed
}
