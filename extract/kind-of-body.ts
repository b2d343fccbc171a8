import { type BodyKind, bodyKind } from './encoding/media-type.ts'
import { AsofError } from './errors/errors.ts'
import { invalidOption } from './errors/options.ts'
import { said } from './errors/said.ts'
import { shown } from './errors/shown-value.ts'
import type { ExtractOptions } from './extracted-page.ts'

export const MAX_BODY_BYTES = 20 * 1024 * 1024
/** Number of bytes at the start of a body from which its type is recognized. */
const SNIFF_BYTES = 1445

/**
 * Returns the format as which a body is read.
 *
 * @throws ASOF_INVALID_OPTION - `body` is neither a string nor bytes.
 * @throws ASOF_EXTRACT_TOO_LARGE
 * @throws ASOF_INVALID_URL
 * @throws ASOF_UNSUPPORTED_TYPE
 */
export function kindOfBody(body: Uint8Array | string, options: ExtractOptions): BodyKind {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw invalidOption('body', `must be a string or bytes, not ${shown(body)}`)
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
  if (kind === undefined) throw unsupportedBody(options.contentType)
  return kind
}

/** Returns the error for a body that is in no format that can be read. */
export function unsupportedBody(contentType: string | undefined): AsofError {
  const detail = contentType === undefined ? undefined : said('Content-Type', contentType)
  const message =
    detail === undefined
      ? "the body is binary data of an unknown type, which can't be read as a page"
      : "a body of this content type can't be read as a page"
  return new AsofError('ASOF_UNSUPPORTED_TYPE', message, { details: { contentType: detail?.text, said: detail } })
}
