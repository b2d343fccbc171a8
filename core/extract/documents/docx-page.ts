import { AsofError } from '../../errors.ts'
import type { ExtractedPage, ExtractOptions } from '../extracted-page.ts'
import { loadDocumentPackage } from './document-packages.ts'
import { dublinCore, fieldsFrom } from './document-properties.ts'
import { markedUpPage } from './marked-up-page.ts'
import type { ZipArchive } from './zip-archive.ts'

/**
 * Reads a Word document: headings, lists, tables, links, footnotes. Images are left out.
 *
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - mammoth is not installed.
 * @throws ASOF_EXTRACT_FAILED - mammoth can't read it.
 */
export async function readDocx(archive: ZipArchive, { latestAt }: ExtractOptions): Promise<ExtractedPage> {
  const { default: mammoth } = await loadDocumentPackage(() => import('mammoth'))
  // Mammoth unpacks files of any size. So it gets a copy with only the XML files, whose sizes were checked.
  const parts = [...archive.names].filter(name => /\.(?:xml|rels)$/i.test(name))
  const buffer = Buffer.from(archive.copyOf(parts))
  let html: string
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      },
    )
    html = value
  } catch (cause) {
    throw new AsofError('ASOF_EXTRACT_FAILED', "the Word document is damaged and can't be read", { cause })
  }
  const page = markedUpPage(html)
  return { ...page, ...fieldsFrom(dublinCore(archive.text('docProps/core.xml') ?? ''), page.markdown, latestAt) }
}
