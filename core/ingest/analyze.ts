import type { ExtractedPage } from '@asof/extract'
import { AsofError } from '@asof/extract/errors'
import {
  decodeBody,
  extractPage,
  extractText,
  kindOfData,
  readMarkdownSource,
  replacedCharacters,
} from '@asof/extract/internal'
import type { StructuredItem } from '@asof/extract/page'
import { parseInstant } from '../dates/instant.ts'
import { type StoredFields, textsOfFields } from '../fields/field-values.ts'
import { metadataFingerprint } from '../history/metadata-fingerprint.ts'
import { textDigest } from '../history/text-digest.ts'
import { FINGERPRINT_DIGITS } from '../store/records/url-record.ts'
import { withAnalyzer } from '../text/languages/analyzers.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import type { AnalyzedGroup } from './analyzed-group.ts'
import { GroupBuilder } from './group-builder.ts'
import { identifiersOf } from './identifiers.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** Why a capture could not be analyzed. `index` is the capture's index in the input. */
export interface AnalysisFailure {
  index: number
  code: AsofError['code']
  message: string
}

export interface AnalysisResult {
  group: AnalyzedGroup
  failures: AnalysisFailure[]
}

type Draft = Omit<PreparedCapture, 'kind' | 'body' | 'contentType' | 'latestAt'> & {
  markdown: string
  /** Number of characters of the body that could not be decoded; undefined if there are none. */
  replaced?: number
}

/** Callbacks for the progress of an analysis, called with the index of the current capture. */
export interface AnalysisSteps {
  extracting: (index: number) => void
  analyzing: (index: number) => void
}

/**
 * Extracts and analyzes captures, without a store. Runs on worker threads and, for small groups, on the calling thread.
 *
 * @param analyzer - the number of the analyzer of the index.
 */
export function analyze(captures: readonly PreparedCapture[], analyzer: number, steps?: AnalysisSteps): AnalysisResult {
  return withAnalyzer(analyzer, () => analyzeAll(captures, steps))
}

function analyzeAll(captures: readonly PreparedCapture[], steps?: AnalysisSteps): AnalysisResult {
  const builder = new GroupBuilder()
  const failures: AnalysisFailure[] = []
  captures.forEach((capture, index) => {
    try {
      steps?.extracting(index)
      const draft = toDraft(capture)
      steps?.analyzing(index)
      addTo(builder, draft)
    } catch (error) {
      if (!(error instanceof AsofError)) throw error
      failures.push({ index, code: error.code, message: error.message })
    }
  })
  return { group: builder.finish(), failures }
}

function addTo(builder: GroupBuilder, draft: Draft): void {
  const { url, aliases, markdown, publishedAt, acquiredAt, title: given, replaced, ...rest } = draft
  const text = plainText(markdown)
  const isEmpty = text.trim() === '' || undefined
  const title = given?.trim() || titleOf(markdown) || (isEmpty ? '' : url)
  const { author, description, lang, siteName, publishedFrom, fields, pageKind = kindOfData(rest.data ?? []) } = rest
  const data = rest.data && sortKeys(rest.data)
  const details = {
    author,
    description,
    lang,
    siteName,
    publishedFrom: publishedAt === undefined ? undefined : publishedFrom,
    data: data?.length ? data : undefined,
    kind: pageKind,
    fields,
  }
  const metadata = metadataFingerprint({ publishedAt, details }, { title, markdown })
  const fingerprint = fingerprintOf(title, text, details)
  const page = { url, aliases, title, publishedAt, acquiredAt, fingerprint, metadata, isEmpty, replaced }
  builder.add(page, { details, markdown, text })
}

/** Objects at a greater depth keep the order of their keys. */
const MAX_DEPTH = 200

/** Sorts the keys of each object in structured data, because the order in which a page writes them has no meaning. */
function sortKeys(data: readonly StructuredItem[]): StructuredItem[] {
  return data.map(item => sortKeysOf(item, MAX_DEPTH) as StructuredItem)
}

function sortKeysOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map(one => sortKeysOf(one, depth - 1))
  const item = value as Record<string, unknown>
  const names = Object.keys(item).sort()
  return Object.fromEntries(names.map(name => [name, sortKeysOf(item[name], depth - 1)]))
}

/** Converts the body to Markdown. Values that the caller gave take precedence over those found in the page. */
function toDraft({ kind, body, contentType, latestAt, ...given }: PreparedCapture): Draft {
  if (kind !== 'html') {
    const source = typeof body === 'string' ? body : decodeBody(body, contentType)
    const replaced = typeof body === 'string' ? undefined : replacedCharacters(source, body) || undefined
    // In plain text, characters that Markdown would interpret are escaped.
    if (kind === 'markdown') {
      const mdx = /^\s*text\/mdx\s*(?:;|$)/i.test(contentType ?? '')
      const { markdown, ...fields } = readMarkdownSource(source, { mdx, latestAt })
      return { ...fieldsFound(fields), ...given, markdown, replaced }
    }
    const { title, markdown } = extractText(source)
    return { title, ...given, markdown, replaced }
  }
  const page = extractPage(body, { url: given.url, latestAt, contentType })
  return {
    ...fieldsFound(page),
    data: page.data,
    pageKind: page.kind,
    ...given,
    markdown: page.markdown,
    replaced: page.replacedCharacters,
  }
}

/** Returns the fields of a capture that were found in its body. */
function fieldsFound(page: Partial<ExtractedPage>) {
  const { title, author, description, lang, siteName, publishedFrom } = page
  const publishedAt = page.publishedAt === undefined ? undefined : parseInstant(page.publishedAt, 'publishedAt')
  return { title, author, description, lang, siteName, publishedAt, publishedFrom }
}

const MAX_TITLE_UNITS = 200

/** Returns the first heading or line, as the title of a body without one. */
function titleOf(markdown: string): string {
  for (const line of markdown.slice(0, 4096).split('\n', 64)) {
    const title = plainText(line.trim()).trim()
    if (title !== '') return title.slice(0, MAX_TITLE_UNITS).trimEnd()
  }
  return ''
}

/**
 * Returns a fingerprint of the title, the text, the identifiers in structured data, and the texts of fields. White space of title and
 * text and the order of the identifiers do not count.
 *
 * @param text - as {@link plainText} makes it: the only white space is single spaces and line feeds.
 */
export function fingerprintOf(
  title: string,
  text: string,
  { data = [], fields = {} }: { data?: readonly StructuredItem[]; fields?: StoredFields } = {},
): string {
  const content = [title.replace(/\s+/g, ' ').trim(), '\0', text]
  const identifiers = identifiersOf(data).sort()
  if (identifiers.length > 0) content.push('\0', identifiers.join('\0'))
  const texts = textsOfFields(fields)
  if (texts.length > 0) content.push('\0\0', JSON.stringify(texts))
  return textDigest(content, FINGERPRINT_DIGITS, true)
}
