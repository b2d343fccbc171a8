import { type DayOrder, parseUrlDate, type WrittenDate } from './date-text.ts'
import {
  fromItem,
  fromMeta,
  fromMicrodata,
  fromOtherItems,
  fromPictureAddress,
  fromScriptState,
  fromVideo,
  publishedMeta,
  vagueMeta,
} from './declared-dates.ts'
import type { HtmlTree } from './html-tree.ts'
import { withLocalDay } from './local-day.ts'
import { fromDateClass, fromOnlyDateClass, fromTimeElement, MAX_NODES_TO_TIME } from './marked-dates.ts'
import type { PageFacts } from './page-facts.ts'
import { type PublishedDate, withSource } from './published-date.ts'
import { fromText, shownNearHeading } from './written-dates.ts'

/**
 * When the page says it was published, by order of trust: JSON-LD of the article, meta, microdata, a `<time>` by the
 * heading, the URL, other JSON-LD, a date written near the heading. Never a modified date or a copyright year.
 *
 * @param options.title - empty when the page has none.
 * @param options.sideline - see `findSidelines`.
 * @param options.latestAt - epoch ms; a later day is refused (with a day's grace for time zones). Default: no bound.
 * @returns `undefined` when the page doesn't say.
 */
export function findPublishDate(
  tree: HtmlTree,
  facts: PageFacts,
  options: { url: string; title: string; order: DayOrder; sideline: Uint8Array; latestAt?: number },
): PublishedDate | undefined {
  const { order } = options
  const inTime = (date: WrittenDate | undefined): date is WrittenDate =>
    date !== undefined &&
    (options.latestAt === undefined || Date.parse(date.iso.slice(0, 10)) <= options.latestAt + 86_400_000)
  const sideline = options.sideline.slice()
  const heading = mainHeading(facts, options.title)
  clearNearHeading(sideline, heading)
  markBorrowed(tree, sideline, heading)
  const borrowed = new Uint8Array(tree.nodes.length)
  markBorrowed(tree, borrowed, heading)
  let month: PublishedDate | undefined
  for (const find of [
    () => fromItem(facts.article, order),
    () => fromMeta(facts, publishedMeta, order),
    () => fromMicrodata(tree, sideline, order),
    () => fromTimeElement(tree, sideline, heading, order, MAX_NODES_TO_TIME),
    () => {
      const vague = fromMeta(facts, vagueMeta, order)
      return vague && (withSource(shownNearHeading(tree, heading, sideline, order), 'text') ?? vague)
    },
    () => withSource(parseUrlDate(options.url), 'url'),
    () => fromOtherItems(facts.jsonLd, order),
    () => fromDateClass(tree, sideline, order),
    () => fromTimeElement(tree, sideline, heading, order, tree.nodes.length),
    // Some sites wrap the article itself in a box with a sideline's name.
    () => fromMicrodata(tree, borrowed, order),
    () => fromVideo(facts.jsonLd, order),
    () => fromText(tree, sideline, heading, order),
    () => fromOnlyDateClass(tree, borrowed, order),
    () => fromScriptState(tree),
    () => fromPictureAddress(facts),
  ]) {
    const found = find()
    if (!inTime(found)) continue
    if (found.precision !== 'month') return withLocalDay(found, tree, heading, sideline, order, options.url)
    month ??= found
  }
  return month
}

/** The heading that names the page: the one with its title, else the first of level 1 that is no link to another one. */
function mainHeading({ headings, subheadings }: PageFacts, title: string): number | undefined {
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
function markBorrowed(tree: HtmlTree, sideline: Uint8Array, heading = -1): void {
  let marked = 0
  for (const { tag, attributes, index, end } of tree.nodes) {
    if (index < marked || (tag !== 'blockquote' && (attributes.role !== 'banner' || heading < 0))) continue
    if (heading >= index && heading < end) continue
    sideline.fill(2, index, end)
    marked = end
  }
}
