import { plainSnippet, type ResponseOf } from '../../../../service/index.ts'
import type { Asking } from '../frame/dialect.ts'
import { warnOfCut } from '../frame/result-text.ts'
import type { FoundResult } from '../frame/search-pages.ts'
import { type DialectWarning, warningTexts } from '../frame/warning.ts'
import type { FirecrawlScrape, FirecrawlSearch, Format } from './read.ts'

const OK = 200

/** Returns the links of Markdown with an absolute address, each once. */
export function linksOf(markdown: string): string[] {
  const links = markdown.matchAll(/\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)/g)
  return [...new Set([...links].map(([, link = '']) => link))]
}

function writeFormats(markdown: string, formats: readonly Format[]): { markdown?: string; links?: string[] } {
  const written: { markdown?: string; links?: string[] } = {}
  if (formats.includes('markdown')) written.markdown = markdown
  if (formats.includes('links')) written.links = linksOf(markdown)
  return written
}

/** Joins the warnings of an answer. Returns undefined for an empty list. */
export function writeWarning(warnings: readonly DialectWarning[]): string | undefined {
  return warnings.length === 0 ? undefined : warningTexts(warnings).join('; ')
}

/** What an answer says of a page. */
interface WrittenPage
  extends Pick<ResponseOf<'fetch'>, 'url' | 'content' | 'title' | 'author' | 'published_at' | 'acquired_at'> {
  metadata?: { description?: string | undefined; lang?: string | undefined } | undefined
}

/**
 * Writes the answer of `/scrape`.
 *
 * @param json - the values of the format `json`.
 */
export function writePage(page: WrittenPage, asked: FirecrawlScrape, json?: unknown): object {
  return { success: true, data: writeDocument(page, asked, json) }
}

/** Writes a page. */
export function writeDocument(
  { url, content, title, author, published_at, acquired_at, metadata }: WrittenPage,
  asked: Pick<FirecrawlScrape, 'url' | 'formats' | 'warnings'>,
  json?: unknown,
): object {
  return {
    ...writeFormats(content, asked.formats),
    json,
    warning: writeWarning(asked.warnings),
    metadata: {
      title,
      description: metadata?.description,
      language: metadata?.lang,
      author,
      publishedTime: published_at,
      sourceURL: asked.url,
      url,
      statusCode: OK,
      cacheState: acquired_at === undefined ? 'miss' : 'hit',
      cachedAt: acquired_at,
    },
  }
}

/** The results of a search, and the values of their pages by URL. */
interface ResultsWithValues {
  results: readonly FoundResult[]
  /** Undefined if the request asks for none. */
  values?: ReadonlyMap<string, unknown> | undefined
}

/** Writes the answer of `/search`. */
export function writeResults(
  { results, values }: ResultsWithValues,
  id: string,
  { request: { content_max_chars: chars = 0 }, formats, seenSince, warnings }: FirecrawlSearch,
  { charges }: Asking,
): object {
  const web = results.map((result, i) => {
    const { url, title, content = '' } = result
    const shown = { url, title, description: plainSnippet(result), position: i + 1 }
    if (formats.length === 0 && !values) return shown
    if (chars > 0) warnOfCut('scrapeOptions.formats', content, chars, warnings)
    return {
      ...shown,
      ...writeFormats(content, formats),
      json: values?.get(url),
      metadata: {
        title,
        author: result.author,
        publishedTime: result.published_at,
        sourceURL: url,
        url,
        statusCode: OK,
        cacheState: 'hit',
        cachedAt: result.acquired_at,
      },
    }
  })
  const isOld = ({ last_seen_at }: FoundResult) =>
    seenSince !== undefined && last_seen_at !== undefined && Date.parse(last_seen_at) < seenSince
  if (results.some(isOld))
    warnings.push({ path: 'scrapeOptions.maxAge', message: 'some texts are older: a search has those of the index' })
  return {
    success: true,
    data: { web },
    warning: writeWarning(warnings),
    creditsUsed: charges.reduce((sum, { credits }) => sum + credits, 0),
    id,
  }
}
