import type { HtmlTree } from '../html/html-tree.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'
import { type DayOrder, isCoarse, parseUrlDate, type WrittenDate } from '../written-dates/date-text.ts'
import { fromBoilerplate, onlyPublishedDay } from './boilerplate-dates.ts'
import { type DateSearch, dateSearch, mainHeading } from './date-search.ts'
import {
  fromImageUrl,
  fromItem,
  fromMeta,
  fromMicrodata,
  fromNamedMeta,
  fromOtherItems,
  fromScriptState,
  fromVideo,
  publishedMeta,
  vagueMeta,
} from './declared-dates.ts'
import { withLocalDay } from './local-day.ts'
import { fromDateClass, fromTimeElement } from './marked-dates.ts'
import { isWithin, type PublishedDate, withSource } from './published-date.ts'
import { fromPublishedMonth } from './published-month.ts'
import { fromText, shownNearHeading } from './written-dates.ts'

/** Returns the number of days since 1970. */
const dayOf = (iso: string): number => Date.parse(iso.slice(0, 10)) / 86_400_000

/**
 * Returns the publish date that the page declares or shows. The first source with a date decides: JSON-LD of the article, meta elements,
 * microdata, a `<time>` near the heading, the URL, other JSON-LD, a date in the text near the heading, and a few weaker sources. A modified
 * date or copyright year is never used.
 *
 * @param options.title - empty if the page has none.
 * @param options.boilerplate - the result of `findBoilerplate`.
 * @param options.modifiedAt - the result of `modifiedDateOf`.
 * @param options.latestAt - epoch milliseconds. Dates after the next day are ignored, because the next day may have begun in another time
 *   zone. Default: no limit.
 * @returns undefined if no source has a valid publish date.
 */
export function findPublishDate(
  tree: HtmlTree,
  metadata: PageMetadata,
  options: {
    url: string
    title: string
    order: DayOrder
    boilerplate: Uint8Array
    modifiedAt?: string | undefined
    latestAt?: number
  },
): PublishedDate | undefined {
  const { order } = options
  const isInTime = (iso: string): boolean =>
    options.latestAt === undefined || Date.parse(iso.slice(0, 10)) <= options.latestAt + 86_400_000
  const heading = mainHeading(metadata, options.title)
  let started: DateSearch | undefined
  // The search is prepared only when needed, because most pages declare their date.
  const search = (): DateSearch => {
    started ??= dateSearch(tree, { boilerplate: options.boilerplate, heading, order })
    return started
  }
  const shown = (): WrittenDate | undefined => shownNearHeading(search())
  let coarse: PublishedDate | undefined
  for (const find of [
    () => fromItem(metadata.article, order),
    () => fromMeta(metadata, publishedMeta, order),
    () => fromMicrodata(search()),
    () => fromTimeElement(search()),
    () => {
      const vague = fromMeta(metadata, vagueMeta, order)
      return vague && !isCoarse(vague) ? (withSource(shown(), 'text') ?? vague) : vague
    },
    () => withSource(parseUrlDate(options.url), 'url'),
    () => fromOtherItems(metadata.jsonLd, order),
    () => withSource(shownNearHeading(search(), { isAlone: true }), 'text'),
    () => fromDateClass(search()),
    () => fromVideo(metadata.jsonLd, order),
    () => fromNamedMeta(metadata, order),
    () => fromText(search()),
    () => fromPublishedMonth(search()),
    () => fromBoilerplate(search()),
    () => fromScriptState(tree),
    () => fromImageUrl(metadata),
  ]) {
    const read = find()
    const found = read && chooseReading(read, { isInTime, url: options.url, shown })
    if (!found || !isInTime(found.iso)) continue
    // A declared month or year is kept unless a later source gives a day in it. A month in the URL may be older than the page.
    if (coarse && coarse.source !== 'url' && !isWithin(found, coarse)) continue
    const before = isLastChange(found, options.modifiedAt) ? firstShown(found, search()) : undefined
    if (before) return before
    if (!isCoarse(found)) return withLocalDay(found, search, options.url)
    if (!coarse || isWithin(found, coarse)) coarse = found
  }
  return coarse
}

/**
 * Chooses the right reading of a numeric date such as 4/5/2020. If only one reading is in the future, it is wrong.
 * Otherwise the month in the page's URL decides, or else a date that the page shows near the heading.
 */
function chooseReading(
  { swapped, ...found }: PublishedDate,
  page: { isInTime: (iso: string) => boolean; url: string; shown: () => WrittenDate | undefined },
): PublishedDate {
  if (swapped === undefined) return found
  const other = { ...found, iso: swapped }
  if (page.isInTime(found.iso) !== page.isInTime(swapped)) return page.isInTime(found.iso) ? found : other
  const month = parseUrlDate(page.url)?.iso.slice(0, 7)
  if (month !== undefined && (found.iso.startsWith(month) || swapped.startsWith(month)))
    return swapped.startsWith(month) ? other : found
  const shown = page.shown()
  return shown?.swapped === undefined && shown?.iso.slice(0, 10) === swapped.slice(0, 10) ? other : found
}

/** True if a declared publish date is the day of the last change. Some software sets both dates at each change. */
function isLastChange(found: PublishedDate, modifiedAt: string | undefined): boolean {
  if (modifiedAt === undefined || isCoarse(found)) return false
  if (found.source !== 'json-ld' && found.source !== 'meta') return false
  return Math.abs(dayOf(modifiedAt) - dayOf(found.iso)) <= 1
}

/**
 * Returns an earlier date that is alone near the heading or labeled as published. Some software sets the declared
 * publish date at each change, and then the earlier date is the publish date.
 */
function firstShown(declared: PublishedDate, search: DateSearch): PublishedDate | undefined {
  const near = shownNearHeading(search, { isAlone: true })
  const shown = near?.swapped === undefined ? (near ?? onlyPublishedDay(search)) : undefined
  return shown && dayOf(shown.iso) < dayOf(declared.iso) - 1 ? withSource(shown, 'text') : undefined
}
