import { AsofError } from '../errors.ts'
import { decodeBody, tidy } from './encoding/charset.ts'
import { type BodyKind, bodyKind, isDocument } from './encoding/media-type.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import { extractFeed } from './feed-page.ts'
import { extractHtml } from './html-page.ts'
import { extractJson } from './json-page.ts'
import { extractMarkdown, extractText } from './plain-page.ts'

export const MAX_BODY_BYTES = 20 * 1024 * 1024
const SNIFF_BYTES = 1445

/**
 * Turns the bytes of one page into its content and metadata, in the calling thread. Pure: the same input gives the same
 * page. Time is linear in the body; see `extract` for a bound on it.
 *
 * @param body - at most 20 MiB; a string counts as its UTF-8 bytes and needs no decoding.
 * @param options.url - absolute address of the page.
 * @param options.contentType - sniffed from the body when absent.
 * @param options.latestAt - epoch ms; publish dates after that day are refused. Default: no bound.
 * @throws ASOF_EXTRACT_TOO_LARGE
 * @throws ASOF_UNSUPPORTED_TYPE - no HTML, text, markdown, JSON or XML. Documents are read by `extractBody`.
 * @throws ASOF_INVALID_URL
 */
export function extractPage(body: Uint8Array | string, options: ExtractOptions): ExtractedPage {
  const kind = kindOfBody(body, options)
  if (isDocument(kind)) throw unsupported(options.contentType ?? `application/${kind}`)
  const source = typeof body === 'string' ? tidy(body) : decodeBody(body, options.contentType)
  switch (kind) {
    case 'html':
      return extractHtml(source, options)
    case 'xml':
      return extractFeed(source, options)
    case 'json':
      return extractJson(source, options)
    case 'markdown':
      return extractMarkdown(source, options)
    case 'text':
      return extractText(source)
  }
}

/**
 * What a body is to be read as.
 *
 * @throws ASOF_EXTRACT_TOO_LARGE | ASOF_INVALID_URL | ASOF_UNSUPPORTED_TYPE - as {@link extractPage}
 */
export function kindOfBody(body: Uint8Array | string, options: ExtractOptions): BodyKind {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  if (bytes > MAX_BODY_BYTES) {
    throw new AsofError('ASOF_EXTRACT_TOO_LARGE', `the page has ${bytes} bytes; at most ${MAX_BODY_BYTES} are read`, {
      details: { bytes, maxBytes: MAX_BODY_BYTES },
    })
  }
  if (!URL.canParse(options.url)) {
    throw new AsofError('ASOF_INVALID_URL', 'the address of the page is not an absolute URL', {
      details: { url: options.url },
    })
  }
  const head = typeof body === 'string' ? Buffer.from(body.slice(0, SNIFF_BYTES)) : body.subarray(0, SNIFF_BYTES)
  const kind = bodyKind(options.contentType, options.url, head)
  if (kind === undefined) throw unsupported(options.contentType)
  return kind
}

function unsupported(contentType: string | undefined): AsofError {
  return new AsofError(
    'ASOF_UNSUPPORTED_TYPE',
    `a body ${contentType ?? 'of an unknown binary type'} can't be read as a page`,
    { details: { contentType } },
  )
}
