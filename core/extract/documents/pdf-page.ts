import type { PDFDocumentProxy } from 'unpdf/pdfjs'
import { AsofError } from '../../errors.ts'
import { isError } from '../../thrown.ts'
import {
  type ExtractedPage,
  type ExtractOptions,
  type ExtractWarning,
  pageOf,
  withWarnings,
} from '../extracted-page.ts'
import { loadDocumentPackage } from './document-packages.ts'
import { type DocumentProperties, fieldsFrom } from './document-properties.ts'
import { linesOf, type PdfLine } from './pdf-lines.ts'
import { writePdf } from './pdf-markdown.ts'
import type { PdfRun } from './pdf-reading-order.ts'

/** Maximum number of pages that are read. */
const MAX_PAGES = 2000
const MAX_CHARS = 10 * 1024 * 1024

/**
 * Reads the text of a PDF, page by page, separated by rules. Lines in a larger font become headings. Text in images is
 * not read: pages without text give a warning.
 *
 * @throws ASOF_EXTRACT_FAILED - the file is damaged or protected by a password.
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - unpdf is not installed.
 */
export async function readPdf(bytes: Uint8Array, { latestAt }: ExtractOptions): Promise<ExtractedPage> {
  // The package is loaded when it is first needed. Most processes never read a PDF.
  const { getDocumentProxy } = await loadDocumentPackage(() => import('unpdf'))
  let pdf: PDFDocumentProxy
  try {
    // The library takes ownership of the bytes, so it gets a copy.
    pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false })
  } catch (cause) {
    throw unreadable(cause)
  }
  try {
    const { pages, unread } = await pagesOf(pdf)
    const markdown = writePdf(pages)
    const page = { ...pageOf(markdown), ...fieldsFrom(await propertiesOf(pdf), markdown, latestAt) }
    return withWarnings(page, warningsOf(pdf.numPages, pages, unread))
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/**
 * Returns the lines of each page, and the number of pages that cannot be read, which have no lines. Throws if no page can
 * be read.
 */
async function pagesOf(pdf: PDFDocumentProxy): Promise<{ pages: PdfLine[][]; unread: number }> {
  const pages: PdfLine[][] = []
  let unread = 0
  let chars = 0
  let failure: unknown
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES) && chars < MAX_CHARS; number++) {
    try {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      page.cleanup()
      const runs = items.filter((item): item is PdfRun & (typeof items)[number] => 'str' in item)
      chars += runs.reduce((sum, { str }) => sum + str.length, 0)
      pages.push(linesOf(runs))
    } catch (error) {
      failure ??= error
      unread++
      pages.push([])
    }
  }
  if (failure !== undefined && pages.every(lines => lines.length === 0)) throw unreadable(failure)
  return { pages, unread }
}

function warningsOf(count: number, pages: readonly (readonly PdfLine[])[], unread: number): ExtractWarning[] {
  const warnings: ExtractWarning[] = []
  const empty = pages.filter(lines => lines.length === 0).length - unread
  if (unread > 0) warnings.push({ code: 'pages-unread', message: `damaged: ${unread} of ${count} pages` })
  if (empty > 0)
    warnings.push({ code: 'pages-without-text', message: `without text, such as scans: ${empty} of ${count} pages` })
  if (pages.length < count) warnings.push({ code: 'cut', message: `only ${pages.length} of ${count} pages are read` })
  return warnings
}

async function propertiesOf(pdf: PDFDocumentProxy): Promise<DocumentProperties> {
  let info: Record<string, unknown>
  let metadata: { get: (name: string) => unknown } | null
  try {
    // pdf.js declares both types as `Object`.
    ;({ info, metadata } = (await pdf.getMetadata()) as unknown as {
      info: Record<string, unknown>
      metadata: typeof metadata
    })
  } catch {
    // Damaged properties are ignored, because the text can be read.
    return { authors: [] }
  }
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)
  const texts = (value: unknown) => (Array.isArray(value) ? value : [value]).flatMap(one => text(one) ?? [])
  const authors = texts(metadata?.get('dc:creator'))
  return {
    title: text(info.Title) ?? texts(metadata?.get('dc:title'))[0],
    authors: authors.length > 0 ? authors : texts(info.Author).flatMap(names => names.split(';')),
    date: dateOf(text(info.CreationDate)) ?? text(metadata?.get('xmp:createdate')),
    description: text(info.Subject) ?? texts(metadata?.get('dc:description'))[0],
    lang: text(info.Language),
  }
}

/** Converts `D:20240131120000+02'00'` (ISO 32000-1, 7.9.4) to ISO 8601. */
function dateOf(written: string | undefined): string | undefined {
  const parts = /^(?:D:)?(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{2})?'?(\d{2})?/.exec(written ?? '')
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second = '00', zone, zoneMinutes = '00'] = parts
  const date = `${year}-${month}-${day}`
  if (hour === undefined) return date
  const offset = zone === undefined ? '' : zone === 'Z' ? 'Z' : `${zone}:${zoneMinutes}`
  return `${date}T${hour}:${minute}:${second}${offset}`
}

function unreadable(cause: unknown): AsofError {
  const isLocked = isError(cause) && cause.name === 'PasswordException'
  const message = isLocked ? 'the PDF is protected by a password' : "the PDF is damaged and can't be read"
  return new AsofError('ASOF_EXTRACT_FAILED', message, { cause })
}
