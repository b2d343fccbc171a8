import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import { AsofError } from '../errors/errors.ts'
import { isError } from '../errors/thrown.ts'
import {
  type ExtractedPage,
  type ExtractOptions,
  type ExtractWarning,
  pageOf,
  unreadParts,
  withWarnings,
} from '../extracted-page.ts'
import { loadDocumentPackage } from './document-packages.ts'
import { type DocumentProperties, fieldsFrom } from './document-properties.ts'
import { type PdfAnnotation, placeFields } from './pdf-fields.ts'
import { linesOf, type PdfLine } from './pdf-lines.ts'
import { writePdf } from './pdf-markdown.ts'
import type { PdfRun } from './pdf-right-to-left.ts'
import { formMarkdown, type XfaElement } from './pdf-xfa.ts'

/** Maximum number of pages that are read. */
const MAX_PAGES = 2000
const MAX_CHARS = 10 * 1024 * 1024

/**
 * Reads the text of a PDF, page by page, separated by rules. Lines in a larger font become headings. The values of form fields are
 * in the text where they are on the page. Text in images is not read: pages without text give a warning.
 *
 * @throws ASOF_EXTRACT_FAILED - the file is damaged or protected by a password.
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - unpdf is not installed.
 */
export async function readPdf(bytes: Uint8Array, { latestAt }: ExtractOptions): Promise<ExtractedPage> {
  const pdf = await open(bytes)
  try {
    const isForm = await isOnlyForm(pdf)
    const form = isForm ? await formOf(bytes) : undefined
    if (form !== undefined) return await pageWith(pdf, form, latestAt)
    const { pages, unread, leftOutFields } = await pagesOf(pdf)
    const page = await pageWith(pdf, writePdf(pages), latestAt)
    return withWarnings(page, [
      ...warningsOf(pdf.numPages, pages, unread),
      ...unreadParts(isForm ? 1 : 0, 'form in XFA'),
      ...unreadParts(leftOutFields, 'form field'),
    ])
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function pageWith(pdf: PDFDocumentProxy, markdown: string, latestAt: number | undefined): Promise<ExtractedPage> {
  return { ...pageOf(markdown), ...fieldsFrom(await propertiesOf(pdf), markdown, latestAt) }
}

async function open(bytes: Uint8Array, enableXfa = false): Promise<PDFDocumentProxy> {
  // The package is loaded when it is first needed. Most processes never read a PDF.
  const { getDocumentProxy } = await loadDocumentPackage(() => import('unpdf'))
  try {
    // The library takes ownership of the bytes, so it gets a copy.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false, enableXfa })
  } catch (cause) {
    throw unreadable(cause)
  }
}

/** True if a PDF has its text only in a form in XFA. Its pages then have a notice that the program cannot show the form. */
async function isOnlyForm(pdf: PDFDocumentProxy): Promise<boolean> {
  try {
    const { info } = await pdf.getMetadata()
    const { IsXFAPresent: hasXfa, IsAcroFormPresent: hasFields } = info as Record<string, unknown>
    return hasXfa === true && hasFields !== true
  } catch {
    // Damaged properties are ignored, because the text can be read.
    return false
  }
}

/** Returns a form in XFA as Markdown; undefined if it is damaged or has no text. */
async function formOf(bytes: Uint8Array): Promise<string | undefined> {
  let pdf: PDFDocumentProxy | undefined
  try {
    pdf = await open(bytes, true)
    return pdf.isPureXfa ? formMarkdown(pdf.allXfaHtml as XfaElement | null, MAX_PAGES) : undefined
  } catch {
    // The warning says that the form was not read.
    return undefined
  } finally {
    await pdf?.loadingTask.destroy()
  }
}

/** What was read of a PDF. */
interface ReadPages {
  /** The lines of each page. */
  pages: PdfLine[][]
  /** Number of pages that cannot be read, which have no lines. */
  unread: number
  leftOutFields: number
}

/** Reads the pages. Throws if none can be read. */
async function pagesOf(pdf: PDFDocumentProxy): Promise<ReadPages> {
  const pages: PdfLine[][] = []
  let unread = 0
  let leftOutFields = 0
  let chars = 0
  let failure: unknown
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES) && chars < MAX_CHARS; number++) {
    try {
      const page = await pdf.getPage(number)
      const { lines, leftOut } = await textLines(page)
      page.cleanup()
      leftOutFields += leftOut
      chars += lines.reduce((sum, { text }) => sum + text.length, 0)
      pages.push(lines)
    } catch (error) {
      failure ??= error
      unread++
      pages.push([])
    }
  }
  if (failure !== undefined && pages.every(lines => lines.length === 0)) throw unreadable(failure)
  return { pages, unread, leftOutFields }
}

async function textLines(page: PDFPageProxy): Promise<{ lines: PdfLine[]; leftOut: number }> {
  const { items } = await page.getTextContent()
  const runs: PdfRun[] = items.filter((item): item is PdfRun & (typeof items)[number] => 'str' in item)
  const leftOut = placeFields(runs, (await page.getAnnotations({ intent: 'display' })) as PdfAnnotation[])
  return { lines: linesOf(runs), leftOut }
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
