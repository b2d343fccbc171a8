import { clip } from '@asof/extract/characters'
import { invalidOption, optionsReader } from '@asof/extract/errors'
import { resolveTimes } from '../dates/resolve-times.ts'
import { aliasTarget, captureAt, visibleRecord } from '../history/current-capture.ts'
import { indexAfter } from '../history/observations.ts'
import { versionPage } from '../history/version-page.ts'
import { readText } from '../store/records/stored-page.ts'
import type { UrlRecord } from '../store/records/url-record.ts'
import type { PageReads, Snapshot } from '../store/snapshots/snapshots.ts'

import { plainText } from '../text/markdown/plain-text.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { normalizeUrl } from '../url.ts'
import { contradictionsIn } from './contradictions.ts'
import { NearestPassages } from './nearest-passage.ts'
import { differencesOf, MAX_SHOWN_UNITS } from './quote-differences.ts'
import {
  LONGEST_QUOTE,
  MAX_QUOTE_PARTS,
  type QuotedPassage,
  type QuoteInterval,
  type QuoteToVerify,
  type QuoteVerdict,
} from './quote-verdict.ts'
import { QuoteWords, TextWords } from './quote-words.ts'
import { WordPlaces } from './word-places.ts'

/** Maximum number of UTF-16 units of text that one call reads. The newest versions of each page are read first. */
const MAX_UNITS = 8 * 1024 * 1024
/** Number of UTF-16 units of text after which the call yields to the event loop. */
const UNITS_AT_ONCE = 256 * 1024
/** Searching this many units for one part of a quote takes as long as reading one unit. */
const SEARCHED_IN_TIME = 64

/** Counts the text that one call reads, and lets other work run in between. */
class Reading {
  #units = 0
  #turn = UNITS_AT_ONCE

  get isUsedUp(): boolean {
    return this.#units > MAX_UNITS
  }

  async spend(units: number): Promise<void> {
    this.#units += units
    if (this.#units <= this.#turn) return
    this.#turn = this.#units + UNITS_AT_ONCE
    await yieldToEventLoop()
  }
}

/** A version of the text of a page, and how long it was current. */
interface TextVersion {
  captureId: number
  /** Equal for equal texts. */
  fingerprint: string
  from: number
  until?: number
}

/** The page that a URL stands for as of an instant. */
interface QuotedPage {
  url: string
  record: UrlRecord
}

/**
 * Judges quotes of one page as of the instant of a snapshot. Each text is read once.
 *
 * @param normal - the normalized URL.
 */
async function verifyQuotes(
  normal: string,
  asked: readonly QuoteWords[],
  snapshot: Snapshot,
  reading: Reading,
): Promise<QuoteVerdict[]> {
  const { instant } = snapshot
  const page = quotedPage(normal, snapshot)
  if (!page) return asked.map(() => ({ verdict: 'unknown_page', url: normal, instant, stood: [] }))
  const stood: QuoteInterval[][] = asked.map(() => [])
  const versions = textVersions(page.record, instant).reverse()
  const found = new Map<string, Set<QuoteWords>>()
  let newest: TextWords | undefined
  let readFrom: number | undefined
  // Newest first, so that only old versions of a long history stay unread. The newest version is always read.
  for (const { captureId, fingerprint, from, until } of versions) {
    let quotesThere = found.get(fingerprint)
    if (!quotesThere) {
      if (newest && reading.isUsedUp) break
      const text = new TextWords([...readText(snapshot.store, captureId)].join(''))
      newest ??= text
      quotesThere = await quotesIn(text, asked, reading)
      found.set(fingerprint, quotesThere)
    }
    readFrom = from
    for (const [i, quote] of asked.entries()) {
      if (!quotesThere.has(quote)) continue
      const [later] = stood[i]!
      if (later && later.from === until) later.from = from
      else stood[i]!.unshift(until === undefined ? { from } : { from, until })
    }
  }
  const isWhole = readFrom === versions.at(-1)?.from
  const shared = isWhole ? { url: page.url, instant } : { url: page.url, instant, readFrom }
  const current = captureAt(page.record, instant)
  if (!current) return stood.map(intervals => ({ verdict: 'gone', ...shared, stood: intervals }))
  const { markdown } = versionPage(current, snapshot)
  const plain = plainText(markdown)
  const text = newest?.text === plain ? newest : new TextWords(plain)
  const version = { acquiredAt: current.at, lastSeenAt: current.lastSeenAt }
  const passages = new NearestPassages(text)
  let places: WordPlaces | undefined
  const passageOf = (words: [number, number]) => {
    places ??= new WordPlaces(text, markdown)
    return passageAt(words, text, places)
  }
  const verdicts: QuoteVerdict[] = []
  for (const [i, quote] of asked.entries()) {
    const judged = { ...shared, version, stood: stood[i]! }
    const words = quote.in(text)
    const near = words ? undefined : passages.nearest(quote)
    if (words) verdicts.push({ verdict: 'verbatim', ...judged, passage: passageOf(words) })
    else if (near) {
      const passage = passageOf([near.from, near.to])
      const contradictions = contradictionsIn(near, quote, text, passages)
      const verdict = contradictions.some(kind => kind !== undefined) ? 'contradicted' : 'reworded'
      const differences = differencesOf(near.changes, contradictions, quote.all, text)
      verdicts.push({ verdict, ...judged, passage, differences })
    } else verdicts.push({ verdict: 'gone', ...judged })
    // Finding a passage may take as long as reading its page, so other work gets its turn.
    await yieldToEventLoop()
  }
  return verdicts
}

/** Returns the quotes that a text has. */
async function quotesIn(text: TextWords, asked: readonly QuoteWords[], reading: Reading): Promise<Set<QuoteWords>> {
  await reading.spend(text.text.length)
  const found = new Set<QuoteWords>()
  for (const quote of asked) {
    if (quote.in(text)) found.add(quote)
    await reading.spend(Math.ceil((text.text.length * quote.parts) / SEARCHED_IN_TIME))
  }
  return found
}

/** Returns the page that a URL stands for, as `currentCapture` does, but also a page that is gone. Undefined if there never was one. */
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
    if (observation.kind === 'removal') continue
    const { captureId, fingerprint, at: from } = observation
    versions.push({ captureId, fingerprint, from })
  }
  return versions
}

function passageAt([from, to]: [number, number], words: TextWords, places: WordPlaces): QuotedPassage {
  const text = words.text.slice(words.starts[from]!, words.ends[to - 1]!)
  return { text: clip(text, MAX_SHOWN_UNITS), place: places.around(from, to) }
}

/** Maximum number of quotes of one call. */
const MAX_QUOTES = 100

/** The quotes of one call that are about one page as of one time. */
interface QuotesOfPage {
  url: string
  /** The indexes of these quotes in the list of the call. */
  places: number[]
}

/**
 * Judges quotes, see `Engine.verifyAll`. Those without `queryTime` are judged as of the same instant.
 *
 * @throws ASOF_INVALID_OPTION | ASOF_INVALID_URL | ASOF_INVALID_TIME
 */
export async function verifyAll(given: readonly QuoteToVerify[], reads: PageReads): Promise<QuoteVerdict[]> {
  if (!Array.isArray(given) || given.length > MAX_QUOTES)
    throw invalidOption('quotes', `must be a list of at most ${MAX_QUOTES} quotes`)
  const quotes = given.map((quote, place) => checkedQuote(quote, `quotes[${place}]`))
  const byTime = new Map<QuoteToVerify['queryTime'], Map<string, QuotesOfPage>>()
  for (const [place, { url, queryTime }] of quotes.entries()) {
    const time = queryTime instanceof Date ? queryTime.getTime() : queryTime
    const pages = byTime.get(time) ?? new Map<string, QuotesOfPage>()
    const ofPage = pages.get(url) ?? { url, places: [] }
    ofPage.places.push(place)
    byTime.set(time, pages.set(url, ofPage))
  }
  const reading = new Reading()
  const verdicts: QuoteVerdict[] = []
  for (const [queryTime, pages] of byTime)
    await reads.read(
      requestedAt => ({ asOf: resolveTimes({ queryTime }, requestedAt).queryTime }),
      async (_, snapshot) => {
        for (const { url, places } of pages.values()) {
          const judged = await verifyQuotes(
            url,
            places.map(place => quotes[place]!.words),
            snapshot,
            reading,
          )
          for (const [i, place] of places.entries()) verdicts[place] = judged[i]!
        }
      },
    )
  return verdicts
}

/** A quote that can be judged, and the normalized URL of its page. */
interface CheckedQuote extends Pick<QuoteToVerify, 'url' | 'queryTime'> {
  words: QuoteWords
}

function checkedQuote(given: QuoteToVerify, path: string): CheckedQuote {
  const { url, quote, queryTime } = optionsReader<QuoteToVerify>(
    { url: 'string', quote: 'string', queryTime: 'time' },
    { required: ['url', 'quote'], within: path },
  )(given)
  if (quote.length > LONGEST_QUOTE) throw invalidOption(`${path}.quote`, `has over ${LONGEST_QUOTE} characters`)
  const words = new QuoteWords(quote)
  if (words.parts === 0) throw invalidOption(`${path}.quote`, 'has no words')
  if (words.parts > MAX_QUOTE_PARTS)
    throw invalidOption(`${path}.quote`, `has over ${MAX_QUOTE_PARTS} parts between ellipses`)
  return { url: normalizeUrl(url), words, queryTime }
}
