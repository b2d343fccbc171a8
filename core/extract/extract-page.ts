import { AsofError } from '../errors.ts'
import { said } from '../said.ts'
import { readBody, tidy } from './encoding/charset.ts'
import { type BodyKind, bodyKind, type DocumentKind, isDocument } from './encoding/media-type.ts'
import { replacedCharacters } from './encoding/replaced-characters.ts'
import { type ExtractedPage, type ExtractOptions, withWarnings } from './extracted-page.ts'
import { xmlToHtml } from './html/xml-to-html.ts'
import { extractHtml } from './html-page.ts'
import { extractJson } from './json-page.ts'
import { extractMarkdown, extractText } from './plain-page.ts'
import { extractXml } from './xml-page.ts'

export const MAX_BODY_BYTES = 20 * 1024 * 1024
/** Number of bytes at the start of a body from which its type is recognized. */
const SNIFF_BYTES = 1445

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

/**
 * Returns the format as which a body is read.
 *
 * @throws ASOF_EXTRACT_TOO_LARGE
 * @throws ASOF_INVALID_URL
 * @throws ASOF_UNSUPPORTED_TYPE
 */
export function kindOfBody(body: Uint8Array | string, options: ExtractOptions): BodyKind {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  if (bytes > MAX_BODY_BYTES) {
    throw new AsofError(
      'ASOF_EXTRACT_TOO_LARGE',
      `the body has ${bytes} bytes; at most ${MAX_BODY_BYTES} are allowed`,
      {
        details: { bytes, maxBytes: MAX_BODY_BYTES },
      },
    )
  }
  if (!URL.canParse(options.url)) {
    throw new AsofError('ASOF_INVALID_URL', 'the URL of the page must be an absolute URL', {
      details: { url: options.url },
    })
  }
  const head = typeof body === 'string' ? Buffer.from(body.slice(0, SNIFF_BYTES)) : body.subarray(0, SNIFF_BYTES)
  const kind = bodyKind(options.contentType, options.url, head)
  if (kind === undefined) throw unsupported(options.contentType)
  return kind
}

function unsupported(contentType: string | undefined): AsofError {
  const detail = contentType === undefined ? undefined : said('Content-Type', contentType)
  const message =
    detail === undefined
      ? "the body is binary data of an unknown type, which can't be read as a page"
      : "a body of this content type can't be read as a page"
  return new AsofError('ASOF_UNSUPPORTED_TYPE', message, { details: { contentType: detail?.text, said: detail } })
}
