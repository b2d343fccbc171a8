import { hash } from 'node:crypto'
import { parseInstant } from '../dates/instant.ts'
import { AsofError } from '../errors.ts'
import { decodeBody } from '../extract/encoding/charset.ts'
import { extractPage } from '../extract/extract-page.ts'
import type { ExtractedPage } from '../extract/extracted-page.ts'
import { kindOfData } from '../extract/facts/page-kind.ts'
import { readMarkdownSource } from '../extract/markdown-source/markdown-source.ts'
import { extractText } from '../extract/plain-page.ts'
import { metadataFingerprint } from '../history/metadata-fingerprint.ts'
import type { StructuredItem } from '../page.ts'
import { FINGERPRINT_DIGITS } from '../store/records/url-record.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import type { AnalyzedGroup } from './analyzed-group.ts'
import { GroupBuilder } from './group-builder.ts'
import { identifiersOf } from './identifiers.ts'
import { orderedData } from './ordered-data.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** A capture that could not be analyzed, by its index in the input. */
export interface AnalysisFailure {
  index: number
  code: AsofError['code']
  message: string
}

export interface AnalysisResult {
  group: AnalyzedGroup
  failures: AnalysisFailure[]
}

type Draft = Omit<PreparedCapture, 'kind' | 'body' | 'contentType' | 'latestAt'> & { markdown: string }

/** Callbacks that report the progress of an analysis by the index of the current capture. */
export interface AnalysisSteps {
  extracting: (index: number) => void
  analyzing: (index: number) => void
}

/** Extracts and analyzes captures, without a store. Runs on the threads of the pool, and in place for small groups. */
export function analyze(captures: readonly PreparedCapture[], steps?: AnalysisSteps): AnalysisResult {
  const builder = new GroupBuilder()
  const failures: AnalysisFailure[] = []
  captures.forEach((capture, index) => {
    try {
      steps?.extracting(index)
      const draft = drafted(capture)
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
  const { url, aliases, markdown, publishedAt, acquiredAt, title: given, ...rest } = draft
  const title = given?.trim() || titleOf(markdown) || url
  const text = plainText(markdown)
  const { author, description, lang, siteName, publishedFrom, fields, pageKind = kindOfData(rest.data ?? []) } = rest
  const data = rest.data && orderedData(rest.data)
  const metadata = {
    ...(publishedAt !== undefined && { publishedAt }),
    details: {
      ...(author !== undefined && { author }),
      ...(description !== undefined && { description }),
      ...(lang !== undefined && { lang }),
      ...(siteName !== undefined && { siteName }),
      ...(publishedAt !== undefined && publishedFrom !== undefined && { publishedFrom }),
      ...(data !== undefined && data.length > 0 && { data }),
      ...(pageKind !== undefined && { kind: pageKind }),
      ...(fields !== undefined && { fields }),
    },
  }
  builder.add(
    {
      url,
      aliases,
      title,
      ...(publishedAt !== undefined && { publishedAt }),
      ...(acquiredAt !== undefined && { acquiredAt }),
      fingerprint: fingerprintOf(title, text, metadata.details.data),
      metadata: metadataFingerprint(metadata, { title, markdown }),
    },
    { details: metadata.details, markdown, text },
  )
}

/** Converts the body to Markdown. Fields that the caller gave take precedence over those found in the page. */
function drafted({ kind, body, contentType, latestAt, ...given }: PreparedCapture): Draft {
  if (kind !== 'html') {
    const source = typeof body === 'string' ? body : decodeBody(body, contentType)
    // Markdown characters in plain text are escaped, since they are text.
    if (kind === 'markdown') {
      const mdx = /^\s*text\/mdx\s*(?:;|$)/i.test(contentType ?? '')
      const { markdown, ...fields } = readMarkdownSource(source, { mdx, latestAt })
      return { ...fieldsFound(fields), ...given, markdown }
    }
    const { title, markdown } = extractText(source)
    return { ...(title !== undefined && { title }), ...given, markdown }
  }
  const page = extractPage(body, { url: given.url, latestAt, ...(contentType !== undefined && { contentType }) })
  return {
    ...fieldsFound(page),
    data: page.data,
    ...(page.kind !== undefined && { pageKind: page.kind }),
    ...given,
    markdown: page.markdown,
  }
}

/** The fields of a capture that were found in its body. */
function fieldsFound({
  title,
  author,
  description,
  lang,
  siteName,
  publishedAt,
  publishedFrom,
}: Partial<ExtractedPage>) {
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(description !== undefined && { description }),
    ...(lang !== undefined && { lang }),
    ...(siteName !== undefined && { siteName }),
    ...(publishedAt !== undefined && { publishedAt: parseInstant(publishedAt, 'publishedAt') }),
    ...(publishedFrom !== undefined && { publishedFrom }),
  }
}

const MAX_TITLE_UNITS = 200

/** The first heading or line, as the title of a body that has none. */
function titleOf(markdown: string): string {
  for (const line of markdown.slice(0, 4096).split('\n', 64)) {
    const title = plainText(line.trim()).trim()
    if (title !== '') return title.slice(0, MAX_TITLE_UNITS).trimEnd()
  }
  return ''
}

/**
 * Returns a fingerprint of what a page can be found by: its title, its text, and the identifiers in its data in any order.
 * White space does not count.
 *
 * @param text - as {@link plainText} makes it, with no white space but single spaces and line feeds.
 */
export function fingerprintOf(title: string, text: string, data: readonly StructuredItem[] = []): string {
  const words = `${title.replace(/\s+/g, ' ').trim()}\0${text.replaceAll('\n', ' ')}`
  const identifiers = identifiersOf(data).sort()
  const content = identifiers.length === 0 ? words : `${words}\0${identifiers.join('\0')}`
  return hash('sha256', content, 'hex').slice(0, FINGERPRINT_DIGITS)
}
