import { AsofError } from '../errors.ts'
import { readDocument } from './documents/read-document.ts'
import { isDocument } from './encoding/media-type.ts'
import { extractPage, kindOfBody } from './extract-page.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

/**
 * Turns the bytes of anything that can be read into its content and metadata, in the calling thread: what
 * {@link extractPage} reads, PDF, EPUB and Office documents.
 *
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - a package that reads this type is not installed.
 * @throws ASOF_EXTRACT_FAILED - a broken or protected document.
 * @throws those of `extractPage`
 */
export async function extractBody(body: Uint8Array | string, options: ExtractOptions): Promise<ExtractedPage> {
  const kind = kindOfBody(body, options)
  if (!isDocument(kind)) return extractPage(body, options)
  if (typeof body === 'string')
    throw new AsofError('ASOF_UNSUPPORTED_TYPE', 'a document such as a PDF must be given as bytes, not as a string')
  return await readDocument(kind, body, options)
}
