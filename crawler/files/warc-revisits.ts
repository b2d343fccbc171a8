import type { CaptureInput, Page } from '@asof/core'
import type { ImportBuffer, ImportTarget } from './import-report.ts'
import { badRecord } from './imported-record.ts'
import { dateOf, isSameUrl, type RevisitReference, referenceOf } from './warc-observation.ts'
import { type WarcRecord, withoutBrackets } from './warc-record.ts'

/** Maximum number of records with content that are remembered. Each has two keys. */
const MAX_ORIGINALS = 50_000
/** Maximum number of revisits that wait. With more of them, those that were found are completed before the end of the file. */
const MAX_WAITING = 10_000
/** Maximum number of URLs with sightings that are remembered, until it is known which of them have content. */
const MAX_SIGHTINGS = 50_000

/** The content that a record had. */
interface Original {
  url: string
  /** Epoch ms. */
  at: number
}

/** The records with content of a WARC file, by their identifiers and digests. Memory is limited: the oldest are forgotten. */
export class Originals {
  readonly #byKey = new Map<string, Original>()

  /** Remembers a record, if it has a date. */
  add(record: WarcRecord, url: string): void {
    const date = record.fields.get('WARC-Date')
    if (date === undefined) return
    const original = { url, at: dateOf(date) }
    for (const key of [keyIn(record, 'WARC-Record-ID'), keyIn(record, 'WARC-Payload-Digest')]) {
      if (key === undefined || this.#byKey.has(key)) continue
      this.#byKey.set(key, original)
    }
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= 2 * MAX_ORIGINALS) break
      this.#byKey.delete(oldest)
    }
  }

  /** Returns the record with the first known one of the keys. */
  find(keys: readonly (string | undefined)[]): Original | undefined {
    for (const key of keys) {
      const original = key === undefined ? undefined : this.#byKey.get(key)
      if (original) return original
    }
    return undefined
  }

  /** Returns true if a record was made from one of these. */
  hasSource(record: WarcRecord): boolean {
    return this.find([keyIn(record, 'WARC-Refers-To')]) !== undefined
  }
}

function keyIn({ fields }: WarcRecord, name: string): string | undefined {
  return withoutBrackets(fields.get(name))
}

/** A revisit that waits for the end of the file. */
interface Waiting extends Original {
  where: string
  reference: RevisitReference | undefined
  /** The identifier and the digest of the record with the content. */
  keys: readonly (string | undefined)[]
  /** True if the revisit is one of a page. False if its type is not known. */
  isPage: boolean
}

/**
 * The revisits of a WARC file that have the content of another URL, or do not say which. They wait until the file was read, because
 * records may be in any order.
 */
export class Revisits {
  readonly #engine: ImportTarget
  readonly #buffer: ImportBuffer
  readonly #originals: Originals
  #waiting: Waiting[] = []
  /** The numbers of sightings of pages that are not known to be in the index, by URL. */
  #sightings = new Map<string, number>()

  constructor(engine: ImportTarget, buffer: ImportBuffer, originals: Originals) {
    this.#engine = engine
    this.#buffer = buffer
    this.#originals = originals
  }

  /** @throws ASOF_INVALID_CAPTURE - a date in the record is not valid. */
  async add(record: WarcRecord, { url, isPage }: Pick<Waiting, 'url' | 'isPage'>): Promise<void> {
    this.#waiting.push({
      url,
      isPage,
      where: `record ${record.number}`,
      at: dateOf(record.fields.get('WARC-Date') ?? ''),
      reference: referenceOf(record),
      keys: [keyIn(record, 'WARC-Refers-To'), keyIn(record, 'WARC-Payload-Digest')],
    })
    if (this.#waiting.length >= MAX_WAITING) await this.complete()
  }

  /** Records that a revisit became a sighting of its own URL, whose content may be missing. */
  async noteSighting(url: string): Promise<void> {
    this.#sightings.set(url, (this.#sightings.get(url) ?? 0) + 1)
    if (this.#sightings.size < MAX_SIGHTINGS) return
    await this.#buffer.flush()
    await this.#countSightings()
  }

  /** Adds the observation of each revisit that waits, and counts those without content. */
  async complete(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length + this.#sightings.size > 0) await this.#buffer.flush()
    for (const revisit of waiting) await this.#completeOne(revisit)
    await this.#countSightings()
  }

  async #countSightings(): Promise<void> {
    const sightings = this.#sightings
    this.#sightings = new Map()
    for (const [url, count] of sightings)
      if (URL.canParse(url) && !(await this.#engine.page(url)))
        for (let nth = 0; nth < count; nth++) this.#buffer.noteUnresolved(url)
  }

  async #completeOne(revisit: Waiting): Promise<void> {
    const { url, at, where, isPage } = revisit
    const buffer = this.#buffer
    const original = this.#originalOf(revisit)
    const isOfSame = original === undefined || isSameUrl(original.url, url)
    const page = await pageAt(this.#engine, isOfSame ? { url, at: original?.at } : original)
    // The type is in neither record, so it may have been an image, which is not imported.
    if (!page && !isPage) {
      buffer.noteUnresolved(url)
      return
    }
    if (buffer.skipNext()) return
    buffer.report.read++
    if (isOfSame) {
      const since = original && original.at < at ? original.at : undefined
      await buffer.add({ url, seenAt: at, unchangedSince: since }, where, 0)
      if (!page) buffer.noteUnresolved(url)
    } else if (page) await buffer.add(copyOf(page, url, at), where, page.markdown.length)
    else {
      const content = `${original.url} at ${new Date(original.at).toISOString()}`
      const why = `the record refers to the content of ${content}, which is not in the index; import the file with that content, then this one again`
      buffer.fail(where, badRecord(why), url)
    }
  }

  #originalOf({ reference, keys, at }: Waiting): Original | undefined {
    if (reference === undefined) return undefined
    const known = this.#originals.find(keys)
    if (reference.url === undefined) return known
    return { url: reference.url, at: reference.at ?? known?.at ?? at }
  }
}

/** Returns a page if it is known to have had its content at an instant, to the second, as WARC/1.0 writes dates. */
async function pageAt(
  engine: ImportTarget,
  { url, at }: { url: string; at: number | undefined },
): Promise<Page | undefined> {
  if (!URL.canParse(url)) return undefined
  if (at === undefined) return await engine.page(url)
  const page = await engine.page(url, { queryTime: new Date(at % 1000 === 0 ? at + 999 : at) })
  return page && page.lastSeenAt >= at ? page : undefined
}

function copyOf(page: Page, url: string, acquiredAt: number): CaptureInput {
  const { markdown, title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, fields } = page
  const described = { title, author, description, publishedAt, publishedFrom, lang, siteName, data, kind, fields }
  return { url, acquiredAt, markdown, ...described }
}
