import { z } from 'zod'
import { parseFeedDate } from './feed-date.ts'
import { httpUrl } from './http-url.ts'
import type { Sitemap, SitemapEntry } from './sitemap-entry.ts'

const text = z.string().optional().catch(undefined)
const itemSchema = z.object({ url: text, external_url: text, id: text, date_published: text, date_modified: text })
const feedSchema = z.object({ version: z.string().regex(/jsonfeed\.org/), items: z.array(z.unknown()) })

/** Reads a JSON Feed (jsonfeed.org, version 1.1). Other JSON lists nothing. */
export class JsonFeedReader {
  readonly #fileUrl: string | undefined
  readonly #maxEntries: number
  #source = ''
  entries: SitemapEntry[] = []
  kind: Sitemap['kind'] = 'unknown'

  constructor(fileUrl: string | undefined, maxEntries: number) {
    this.#fileUrl = fileUrl
    this.#maxEntries = maxEntries
  }

  get full(): boolean {
    return this.entries.length >= this.#maxEntries
  }

  write(source: string): void {
    this.#source += source
  }

  end(): void {
    const feed = feedSchema.safeParse(parseJson(this.#source))
    this.#source = ''
    if (!feed.success) return
    this.kind = 'feed'
    this.entries = feed.data.items.slice(0, this.#maxEntries).flatMap(item => this.#entryOf(item) ?? [])
  }

  #entryOf(item: unknown): SitemapEntry | undefined {
    const { data } = itemSchema.safeParse(item)
    const url = httpUrl(data?.url ?? '', this.#fileUrl) ?? httpUrl(data?.id ?? '') ?? httpUrl(data?.external_url ?? '')
    if (!data || url === undefined) return undefined
    return { url, lastmodAt: parseFeedDate(data.date_modified ?? data.date_published ?? '') }
  }
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
