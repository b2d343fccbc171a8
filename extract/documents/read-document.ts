import type { DocumentKind } from '../encoding/media-type.ts'
import { AsofError } from '../errors/errors.ts'
import type { ExtractedPage, ExtractOptions } from '../extracted-page.ts'
import { readDocx } from './docx-page.ts'
import { readEpub } from './epub-page.ts'
import { mainPartOf } from './package-parts.ts'
import { readPdf } from './pdf-page.ts'
import { readPptx } from './pptx-page.ts'
import { readXlsx } from './xlsx-page.ts'
import { ZipArchive } from './zip-archive.ts'

const officeReaders = { docx: readDocx, xlsx: readXlsx, pptx: readPptx }

/**
 * Reads a PDF, EPUB or Office document.
 *
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - the package for this format is not installed.
 * @throws ASOF_EXTRACT_FAILED - the document is damaged or protected.
 * @throws ASOF_EXTRACT_TOO_LARGE - the unpacked document exceeds the size limit.
 * @throws ASOF_UNSUPPORTED_TYPE - the archive is not a document.
 */
export async function readDocument(
  kind: DocumentKind,
  bytes: Uint8Array,
  options: ExtractOptions,
): Promise<ExtractedPage> {
  if (kind === 'pdf') return await readPdf(bytes, options)
  const archive = await ZipArchive.open(bytes)
  if (archive.has('META-INF/container.xml')) return readEpub(archive, options)
  const main = mainPartOf(archive)
  if (!main)
    throw new AsofError(
      'ASOF_UNSUPPORTED_TYPE',
      "the ZIP archive is not an EPUB, docx, xlsx or pptx document, so it can't be read",
    )
  return await officeReaders[main.format](archive, main.path, options)
}
