import { decodeBody, tidy } from '../encoding/charset.ts'
import { AsofError } from '../errors/errors.ts'
import {
  type ExtractedPage,
  type ExtractOptions,
  type ExtractWarning,
  unreadParts,
  withWarnings,
} from '../extracted-page.ts'
import { loadDocumentPackage } from './document-packages.ts'
import { dublinCore, fieldsFrom } from './document-properties.ts'
import { chunkMark, docxStyleMap, rewriteDocx } from './docx-markup.ts'
import { drawingParagraphs } from './drawing-text.ts'
import { pageOfParagraphs, readEmbeddedText } from './embedded-part.ts'
import { markedUpPage } from './marked-up-page.ts'
import { mainPartOf, relationshipsOf } from './package-parts.ts'
import { ZipArchive } from './zip-archive.ts'

/** Maximum number of documents that are embedded as text. */
const MAX_CHUNKS = 100
/** Maximum depth of Word documents in Word documents. */
const MAX_DEPTH = 3

/**
 * Reads a Word document: headings, lists, tables, links, footnotes, equations as TeX, the words of diagrams, and documents that are
 * embedded as text. Images are left out. Charts and embedded objects give a warning.
 *
 * @param main - the path of the main part in the archive.
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - mammoth is not installed.
 * @throws ASOF_EXTRACT_FAILED - mammoth cannot read it.
 */
export async function readDocx(
  archive: ZipArchive,
  main: string,
  { latestAt }: ExtractOptions,
  depth = 1,
): Promise<ExtractedPage> {
  const { default: mammoth } = await loadDocumentPackage(() => import('mammoth'))
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  const bodies = new Set([main, ...['footnotes', 'endnotes', 'comments'].map(name => `${folder}${name}.xml`)])
  let chunks: string[] = []
  let [charts, objects] = [0, 0]
  // Mammoth unpacks files of any size. So it gets a copy with only the XML files, whose sizes were checked.
  const parts = [...archive.names].filter(name => /\.(?:xml|rels)$/i.test(name) || name === main)
  const copy = archive.copyOf(parts, (name, bytes) => {
    if (!bodies.has(name)) return bytes
    const rewritten = rewriteDocx(tidy(decodeBody(bytes, undefined)))
    charts += rewritten.charts
    objects += rewritten.objects
    if (name === main) chunks = rewritten.chunks
    return Buffer.from(rewritten.xml)
  })
  let html: string
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(copy) },
      {
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh", ...docxStyleMap],
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      },
    )
    html = value
  } catch (cause) {
    throw new AsofError('ASOF_EXTRACT_FAILED', "the Word document is damaged and can't be read", { cause })
  }
  const embedded = await chunksOf(archive, main, chunks, depth)
  const page = withChunks(markedUpPage(html), embedded)
  const unread = embedded.filter(chunk => chunk === undefined).length
  const warnings: ExtractWarning[] = [
    ...embedded.flatMap(chunk => chunk?.warnings ?? []),
    ...unreadParts(unread, 'embedded document'),
    ...unreadParts(charts, 'chart'),
    ...unreadParts(objects, 'embedded object'),
  ]
  const properties = dublinCore(archive.text('docProps/core.xml') ?? '')
  return withWarnings({ ...page, ...fieldsFrom(properties, page.markdown, latestAt) }, warnings)
}

/** Reads the embedded documents. Those that cannot be read are undefined. */
async function chunksOf(
  archive: ZipArchive,
  main: string,
  ids: readonly string[],
  depth: number,
): Promise<(ExtractedPage | undefined)[]> {
  if (ids.length === 0) return []
  const relations = relationshipsOf(archive, main)
  const targets = ids.map(id => relations.get(id))
  const paths = targets.map(relation => relation?.target ?? '')
  const files = archive.read(paths.slice(0, MAX_CHUNKS))
  const pages: (ExtractedPage | undefined)[] = []
  for (const [at, path] of paths.entries()) {
    const bytes = files.get(path)
    // A document that is embedded twice is read once, so that a small file can't become a long text.
    files.delete(path)
    if (!bytes) pages.push(undefined)
    else if (targets[at]?.kind === 'diagramdata')
      pages.push(pageOfParagraphs(drawingParagraphs(tidy(decodeBody(bytes, undefined)))))
    else pages.push(isArchive(bytes) ? await readInner(bytes, depth + 1) : readEmbeddedText(path, bytes))
  }
  return pages
}

function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

async function readInner(bytes: Uint8Array, depth: number): Promise<ExtractedPage | undefined> {
  if (depth > MAX_DEPTH) return undefined
  try {
    const archive = await ZipArchive.open(bytes)
    const main = mainPartOf(archive)
    return main?.format === 'docx' ? await readDocx(archive, main.path, { url: '' }, depth) : undefined
  } catch {
    // A warning then says that the document was not read.
    return undefined
  }
}

/** Puts embedded documents where their marks are. */
function withChunks(page: ExtractedPage, chunks: readonly (ExtractedPage | undefined)[]): ExtractedPage {
  if (chunks.length === 0) return page
  const links = [...page.links]
  const blocks = page.markdown.split('\n\n')
  const numbers = new Map(chunks.map((_, number) => [chunkMark(number), number]))
  const markdown = blocks
    .map(block => {
      const number = numbers.get(block)
      if (number === undefined) return block
      links.push(...(chunks[number]?.links ?? []))
      return chunks[number]?.markdown ?? ''
    })
    .filter(block => block !== '')
    .join('\n\n')
  return { ...page, markdown, links }
}
