import { readDocument } from './documents/read-document.ts'
import { isDocument } from './encoding/media-type.ts'
import { AsofError } from './errors/errors.ts'
import { extractPage } from './extract-page.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import { kindOfBody } from './kind-of-body.ts'

/**
 * Extracts content and metadata from a body of any supported type, in the calling thread: PDF, EPUB and Office
 * documents, and all types that {@link extractPage} reads.
 *
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - the package for this type is not installed.
 * @throws ASOF_EXTRACT_FAILED - the document is damaged or protected.
 * @throws the errors of `extractPage`
 */
export async function extractBody(body: Uint8Array | string, options: ExtractOptions): Promise<ExtractedPage> {
  const kind = kindOfBody(body, options)
  if (!isDocument(kind)) return extractPage(body, options)
  if (typeof body === 'string')
    throw new AsofError(
      'ASOF_UNSUPPORTED_TYPE',
      'the body is a string; a PDF, EPUB or Office document must be given as bytes',
    )
  return await readDocument(kind, body, options)
}
