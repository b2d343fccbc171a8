import { readBody, tidy } from './encoding/charset.ts'
import { type BodyKind, type DocumentKind, isDocument } from './encoding/media-type.ts'
import { replacedCharacters } from './encoding/replaced-characters.ts'
import { type ExtractedPage, type ExtractOptions, withWarnings } from './extracted-page.ts'
import { xmlToHtml } from './html/xml-to-html.ts'
import { extractHtml } from './html-page.ts'
import { extractJson } from './json-page.ts'
import { kindOfBody, unsupported } from './kind-of-body.ts'
import { extractMarkdown, extractText } from './plain-page.ts'
import { extractXml } from './xml-page.ts'

/**
 * Extracts content and metadata from the body of a page, in the calling thread. The same input always gives the same
 * page. The time is linear in the size of the body, but not limited; see `extract`.
 *
 * @param body - at most 20 MiB. The size of a string is that of its UTF-8 bytes.
 * @param options.url - absolute URL of the page.
 * @param options.contentType - default: recognized from the body.
 * @param options.latestAt - epoch milliseconds. Publish dates after the next day are ignored. Default: no limit.
 * @throws ASOF_EXTRACT_TOO_LARGE
 * @throws ASOF_UNSUPPORTED_TYPE - not HTML, text, Markdown, JSON or XML. `extractBody` reads documents.
 * @throws ASOF_INVALID_URL
 */
export function extractPage(body: Uint8Array | string, options: ExtractOptions): ExtractedPage {
  const kind = kindOfBody(body, options)
  if (isDocument(kind)) throw unsupported(options.contentType ?? `application/${kind}`)
  if (typeof body === 'string') return extractSource(tidy(body), kind, options)
  const { text: source, contradicts } = readBody(body, options.contentType)
  const replaced = replacedCharacters(source, body)
  const page = withWarnings(
    extractSource(source, kind, options),
    contradicts === undefined
      ? []
      : [{ code: 'charset', message: `declared as ${contradicts.declared}, read as ${contradicts.encoding}` }],
  )
  return replaced === 0 ? page : { ...page, replacedCharacters: replaced }
}

function extractSource(source: string, kind: Exclude<BodyKind, DocumentKind>, options: ExtractOptions): ExtractedPage {
  switch (kind) {
    case 'html':
      return extractHtml(source, options)
    case 'xhtml':
      return extractHtml(xmlToHtml(source), options)
    case 'xml':
      return extractXml(source, options)
    case 'json':
      return extractJson(source, options)
    case 'markdown':
    case 'mdx':
      return extractMarkdown(source, { ...options, mdx: kind === 'mdx' })
    case 'text':
      return extractText(source)
  }
}
