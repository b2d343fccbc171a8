import { resolveTimes } from '../dates/resolve-times.ts'
import { aliasTarget, captureAt, visibleRecord } from '../history/current-capture.ts'
import { indexAfter } from '../history/observations.ts'
import { versionPage } from '../history/version-page.ts'
import { invalidOption, optionsReader } from '../options.ts'
import type { QuotedPassage, QuoteInterval, QuoteToVerify, QuoteVerdict } from '../quote-verdict.ts'
import { readText } from '../store/records/stored-page.ts'
import { markdownPlaces } from '../store/records/text-edits.ts'
import type { UrlRecord } from '../store/records/url-record.ts'
import type { Snapshot, Snapshots } from '../store/snapshots/snapshots.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { normalizeUrl } from '../url.ts'
import { nearestPassage } from './nearest-passage.ts'
import { QuoteWords, TextWords } from './quote-words.ts'

/** UTF-16 units of text that are read for the history of one page, the newest versions first. */
const MOST_UNITS = 32 * 1024 * 1024
/** UTF-16 units of text after which other work gets its turn. */
const UNITS_AT_ONCE = 256 * 1024

/** A version of the text of a page, and how long it was current. */
interface TextVersion {
  captureId: number
  from: number
  until?: number
}

/** The page that a URL stands for as of an instant. */
interface QuotedPage {
  url: string
  record: UrlRecord
}

/**
 * Judges quotes of one page as of the instant of a snapshot. Each version of the text is read once.
 *
 * @param normal - the normalized URL.
 */
async function verifyQuotes(normal: string, quotes: readonly string[], snapshot: Snapshot): Promise<QuoteVerdict[]> {
  const { instant } = snapshot
  const page = quotedPage(normal, snapshot)
  if (!page) return quotes.map(() => ({ verdict: 'unknown_page', url: normal, instant, stood: [] }))
  const asked = quotes.map(quote => new QuoteWords(quote))
  const stood: QuoteInterval[][] = quotes.map(() => [])
  const versions = textVersions(page.record, instant)
  let readFrom: number | undefined
  let units = 0
  let turn = UNITS_AT_ONCE
  // The newest first: what a long history leaves unread is old.
  for (const { captureId, from, until } of versions.reverse()) {
    if (units > MOST_UNITS) break
    readFrom = from
    const text = new TextWords([...readText(snapshot.store, captureId)].join(''))
    units += text.text.length
    for (const [i, quote] of asked.entries()) {
      if (!quote.in(text)) continue
      const [later] = stood[i]!
      if (later && later.from === until) later.from = from
      else stood[i]!.unshift({ from, ...(until !== undefined && { until }) })
    }
    if (units <= turn) continue
    turn = units + UNITS_AT_ONCE
    await yieldToEventLoop()
  }
  const isWhole = readFrom === versions.at(-1)?.from
  const shared = { url: page.url, instant, ...(!isWhole && { readFrom }) }
  const current = captureAt(page.record, instant)
  if (!current) return stood.map(intervals => ({ verdict: 'gone', ...shared, stood: intervals }))
  const { markdown } = versionPage(current, snapshot)
  const text = new TextWords(plainText(markdown))
  const version = { acquiredAt: current.at, lastSeenAt: current.lastSeenAt }
  return asked.map((quote, i) => {
    const judged = { ...shared, version, stood: stood[i]! }
    const words = quote.in(text)
    if (words) return { verdict: 'verbatim', ...judged, passage: passageOf(text, words, markdown) }
    const near = nearestPassage(quote.all, text)
    if (!near) return { verdict: 'gone', ...judged }
    const passage = passageOf(text, [near.from, near.to], markdown)
    return { verdict: 'reworded', ...judged, passage, differences: near.differences }
  })
}

/** Like `currentCapture`, but also a page that is gone. */
function quotedPage(normal: string, snapshot: Snapshot): QuotedPage | undefined {
  const { instant } = snapshot
  const own = { url: normal, record: visibleRecord(normal, snapshot) }
  if (captureAt(own.record, instant)) return own
  const target = aliasTarget(normal, snapshot)
  const aliased = target === undefined ? undefined : { url: target, record: visibleRecord(target, snapshot) }
  return [aliased, own].find(page => page && textVersions(page.record, instant).length > 0)
}

/** The versions of the text up to an instant, oldest first. */
function textVersions(record: UrlRecord, instant: number): TextVersion[] {
  const versions: TextVersion[] = []
  let isOpen = false
  for (const observation of record.slice(0, indexAfter(record, instant))) {
    if (observation.kind !== 'capture' && observation.kind !== 'removal') continue
    if (isOpen) versions.at(-1)!.until = observation.at
    isOpen = observation.kind === 'capture'
    if (observation.kind === 'capture') versions.push({ captureId: observation.captureId, from: observation.at })
  }
  return versions
}

function passageOf({ text, starts, ends }: TextWords, [from, to]: [number, number], markdown: string): QuotedPassage {
  const start = starts[from]!
  const end = ends[to - 1]!
  return { text: text.slice(start, end), place: markdownPlaces(text, markdown, [start, end]) }
}

/** Maximum number of quotes of one call. */
const MOST_QUOTES = 100
/** Maximum length of a quote, UTF-16 units. */
const LONGEST_QUOTE = 2_000

/** The quotes of one call that are about one page as of one time. */
interface QuotesOfPage {
  url: string
  /** Their places among all quotes of the call. */
  places: number[]
}

/**
 * Judges quotes, see `Engine.verifyAll`. Those without `queryTime` are judged as of the same instant.
 *
 * @throws ASOF_INVALID_OPTION | ASOF_INVALID_URL | ASOF_INVALID_TIME
 */
export async function verifyAll(given: readonly QuoteToVerify[], snapshots: Snapshots): Promise<QuoteVerdict[]> {
  if (!Array.isArray(given) || given.length > MOST_QUOTES)
    throw invalidOption('quotes', `must be a list of at most ${MOST_QUOTES} quotes`)
  const quotes = given.map((quote, place) => checkedQuote(quote, `quotes[${place}]`))
  const byTime = new Map<QuoteToVerify['queryTime'], Map<string, QuotesOfPage>>()
  for (const [place, { url, queryTime }] of quotes.entries()) {
    const time = queryTime instanceof Date ? queryTime.getTime() : queryTime
    const pages = byTime.get(time) ?? new Map<string, QuotesOfPage>()
    const ofPage = pages.get(url) ?? { url, places: [] }
    ofPage.places.push(place)
    byTime.set(time, pages.set(url, ofPage))
  }
  const verdicts: QuoteVerdict[] = []
  for (const [queryTime, pages] of byTime)
    await snapshots.read(
      requestAt => resolveTimes({ queryTime }, requestAt),
      async (_, snapshot) => {
        for (const { url, places } of pages.values()) {
          const judged = await verifyQuotes(
            url,
            places.map(place => quotes[place]!.quote),
            snapshot,
          )
          for (const [i, place] of places.entries()) verdicts[place] = judged[i]!
        }
      },
    )
  return verdicts
}

function checkedQuote(given: QuoteToVerify, path: string): QuoteToVerify {
  const { url, quote, queryTime } = optionsReader<QuoteToVerify>(
    { url: 'string', quote: 'string', queryTime: 'time' },
    { required: ['url', 'quote'], within: path },
  )(given)
  if (quote.length > LONGEST_QUOTE) throw invalidOption(`${path}.quote`, `has over ${LONGEST_QUOTE} characters`)
  if (new TextWords(quote).words.length === 0) throw invalidOption(`${path}.quote`, 'has no words')
  return { url: normalizeUrl(url), quote, queryTime }
}
