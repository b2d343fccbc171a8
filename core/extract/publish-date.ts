import { type DateParts, mainHeading, partsForDates } from './date-parts.ts'
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
import { tagged } from './element-index.ts'
import type { HtmlTree } from './html-tree.ts'
import { withLocalDay } from './local-day.ts'
import {
  fromDateClass,
  fromOnlyDateClass,
  fromOnlyPublishedTime,
  fromTimeElement,
  isPublishedTime,
  MAX_NODES_TO_TIME,
} from './marked-dates.ts'
import type { PageFacts } from './page-facts.ts'
import { type PublishedDate, withSource } from './published-date.ts'
import { fromText, shownNearHeading } from './written-dates.ts'

/** Days since 1970: one more or less may be the time zone's. */
const dayOf = ({ iso }: WrittenDate): number => Date.parse(iso.slice(0, 10)) / 86_400_000

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
  const heading = mainHeading(facts, options.title)
  let marked: DateParts | undefined
  // Most pages declare their date: what stands where on them need not be known.
  const parts = (): DateParts => {
    marked ??= partsForDates(tree, options.sideline, heading)
    return marked
  }
  // Software stamps what it declares anew when a page changes; a `<time>` called published keeps the first day.
  const shownEarlier = (declared: PublishedDate): PublishedDate | undefined => {
    if (!tagged(tree, 'time').some(isPublishedTime)) return undefined
    const shown = fromOnlyPublishedTime(tree, parts().sideline, order)
    return shown && dayOf(shown) < dayOf(declared) - 1 ? shown : undefined
  }
  let month: PublishedDate | undefined
  for (const find of [
    () => fromItem(facts.article, order),
    () => fromMeta(facts, publishedMeta, order),
    () => fromMicrodata(tree, parts().sideline, order),
    () => fromTimeElement(tree, parts().sideline, heading, order, MAX_NODES_TO_TIME),
    () => {
      const vague = fromMeta(facts, vagueMeta, order)
      return vague && (withSource(shownNearHeading(tree, heading, parts().sideline, order), 'text') ?? vague)
    },
    () => withSource(parseUrlDate(options.url), 'url'),
    () => fromOtherItems(facts.jsonLd, order),
    () => fromDateClass(tree, parts().sideline, order),
    () => fromTimeElement(tree, parts().sideline, heading, order, tree.nodes.length),
    // Some sites wrap the article itself in a box with a sideline's name.
    () => fromMicrodata(tree, parts().borrowed, order),
    () => fromVideo(facts.jsonLd, order),
    () => fromText(tree, parts().sideline, heading, order),
    () => fromOnlyDateClass(tree, parts().borrowed, order),
    () => fromScriptState(tree),
    () => fromPictureAddress(facts),
  ]) {
    const found = find()
    if (!inTime(found)) continue
    const before = found.source === 'json-ld' || found.source === 'meta' ? shownEarlier(found) : undefined
    if (before) return before
    if (found.precision !== 'month') return withLocalDay(found, tree, heading, parts, order, options.url)
    month ??= found
  }
  return month
}
