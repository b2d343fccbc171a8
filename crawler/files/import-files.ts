import { open, opendir, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AsofError, type CaptureInput, type ExtractWarning, extract } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import { xmlDocumentKind } from '@asof/extract/internal'
import { contentOf } from '../visit/page-content.ts'
import {
  ImportBuffer,
  type ImportOptions,
  type ImportReport,
  type ImportTarget,
  importOptionKinds,
} from './import-report.ts'

/** Options of the import of files. */
export interface FileImportOptions extends ImportOptions {
  /**
   * URL of the folder on the web; for a single file, of the folder that contains it. The file `docs/a.html` in the
   * folder gets this URL followed by `docs/a.html`. Default: `file:` URLs.
   */
  baseUrl?: string
  /** Maximum size of a file, bytes. Default 20 MiB. */
  maxBytes?: number
  /** The clock, epoch ms. Dates in documents that are later than now are not publish dates. Default `Date.now`. */
  now?: () => number
}

const readOptions = optionsReader<FileImportOptions>({
  ...importOptionKinds,
  baseUrl: 'string',
  maxBytes: 'number',
  now: 'function',
})

interface ImportedFile {
  file: string
  kind: FileKind
}

type FileKind = 'html' | 'markdown' | 'mdx' | 'text' | 'document' | 'xml'

const kindOfEnding: Readonly<Record<string, FileKind>> = {
  '.html': 'html',
  '.htm': 'html',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'mdx',
  '.txt': 'text',
  '.text': 'text',
  '.pdf': 'document',
  '.epub': 'document',
  '.docx': 'document',
  '.xlsx': 'document',
  '.pptx': 'document',
  '.xhtml': 'xml',
  '.xht': 'xml',
  '.xml': 'xml',
  '.nxml': 'xml',
  '.dbk': 'xml',
  '.docbook': 'xml',
  '.dita': 'xml',
  '.tei': 'xml',
  '.rss': 'xml',
  '.atom': 'xml',
  '.svg': 'xml',
}

/** The file name extensions that {@link importFiles} can read. */
export const importedEndings: readonly string[] = Object.keys(kindOfEnding)

/**
 * Imports one file, or the files of a folder and its subfolders in the order of their names. Reads HTML, Markdown, MDX,
 * text, PDF, EPUB and Office files (docx, xlsx, pptx), and XML that is a document: XHTML, JATS, DocBook, TEI, DITA, feeds, and SVG with
 * text. In a folder, skips hidden files and symbolic links, and counts files of other types as `leftOut` and other XML as `otherXml`. A file
 * that cannot be imported is reported, and the import continues.
 *
 * @throws ASOF_UNSUPPORTED_TYPE - `path` is a file of another type.
 * @throws ASOF_INVALID_URL - `baseUrl` is not an http or https URL.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. Pages that were committed before are kept.
 */
export async function importFiles(
  engine: ImportTarget,
  path: string,
  given?: FileImportOptions,
): Promise<ImportReport> {
  const options = readOptions(given)
  const only = (await stat(path)).isFile() ? resolve(path) : undefined
  const root = only === undefined ? resolve(path) : dirname(only)
  const urlOf = urlMaker(root, options.baseUrl)
  const maxBytes = options.maxBytes ?? 20 * 1024 * 1024
  const buffer = new ImportBuffer(engine, options)
  // If the folder itself is unreadable, the import fails. An unreadable subfolder is reported like a file.
  const onUnreadable = (subfolder: string, error: unknown) => {
    if (subfolder === root) throw error
    buffer.report.read++
    buffer.fail(relative(root, subfolder), error)
  }
  const files =
    only === undefined ? filesOf(root, onUnreadable, ending => buffer.leaveOut('leftOut', ending)) : [single(only)]
  for await (const { file, kind } of files) {
    if (options.signal?.aborted) break
    if (buffer.skipNext()) continue
    buffer.report.read++
    const url = urlOf(file)
    const where = relative(root, file)
    let bytes: Uint8Array
    let page: FilePage | undefined
    try {
      bytes = await readUpTo(file, maxBytes)
      page = await pageIn(kind, url, bytes, options.now ?? Date.now)
    } catch (error) {
      // The failure is reported, and the import continues.
      buffer.fail(where, error, url)
      continue
    }
    if (page) {
      for (const { message } of page.warnings ?? []) buffer.warn({ where, url, field: 'markdown', reason: message })
      await buffer.add(page.capture, where, bytes.length)
    } else if (file === only) buffer.fail(where, notDocument(file), url)
    else buffer.leaveOut('otherXml', extname(file).toLowerCase())
  }
  await buffer.flush()
  return buffer.report
}

/** @throws ASOF_UNSUPPORTED_TYPE */
function single(file: string): ImportedFile {
  const kind = kindOfEnding[extname(file).toLowerCase()]
  if (kind) return { file, kind }
  throw new AsofError(
    'ASOF_UNSUPPORTED_TYPE',
    `${file} has none of the endings that can be imported: ${importedEndings.join(', ')}`,
  )
}

function notDocument(file: string): AsofError {
  return new AsofError(
    'ASOF_UNSUPPORTED_TYPE',
    `${file} is not XHTML, JATS, DocBook, TEI, DITA, a feed or a picture with text; other XML can't be imported`,
  )
}

/** The page in a file. */
interface FilePage {
  capture: CaptureInput
  /** The parts that could not be read. */
  warnings?: readonly ExtractWarning[]
}

/** Returns the page in a file; undefined for XML that is not a document or has no text. */
async function pageIn(
  kind: FileKind,
  url: string,
  bytes: Uint8Array,
  now: () => number,
): Promise<FilePage | undefined> {
  switch (kind) {
    case 'document':
      return await documentAt(url, bytes, now)
    case 'xml':
      return await xmlDocumentAt(url, bytes, now)
    case 'mdx':
      return { capture: { url, markdown: bytes, contentType: 'text/mdx' } }
    default:
      return { capture: { url, [kind]: bytes } }
  }
}

/** Extracts a document in a child process. Its first bytes show the type. */
async function documentAt(url: string, bytes: Uint8Array, now: () => number): Promise<FilePage> {
  const page = await extract(bytes, { url, latestAt: now() })
  return { capture: { url, ...contentOf(page) }, warnings: page.warnings }
}

async function xmlDocumentAt(url: string, bytes: Uint8Array, now: () => number): Promise<FilePage | undefined> {
  const kind = xmlDocumentKind(bytes)
  if (kind === undefined) return undefined
  const page = await documentAt(url, bytes, now)
  return kind === 'picture' && page.capture.markdown === '' ? undefined : page
}

/** Yields the files of a folder, depth first. Does not recurse, so folders may be nested to any depth. */
async function* filesOf(
  root: string,
  onUnreadable: (folder: string, error: unknown) => void,
  onLeftOut: (ending: string) => void,
): AsyncGenerator<ImportedFile> {
  const waiting = [root]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries: { name: string; isFolder: boolean }[] = []
    try {
      for await (const entry of await opendir(folder)) {
        if (entry.name.startsWith('.')) continue
        if (entry.isDirectory() || entry.isFile()) entries.push({ name: entry.name, isFolder: entry.isDirectory() })
      }
    } catch (error) {
      onUnreadable(folder, error)
      continue
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const { name, isFolder } of entries) {
      if (isFolder) continue
      const ending = extname(name).toLowerCase()
      const kind = kindOfEnding[ending]
      if (kind) yield { file: join(folder, name), kind }
      else onLeftOut(ending)
    }
    for (const { name, isFolder } of entries.reverse()) if (isFolder) waiting.push(join(folder, name))
  }
}

async function readUpTo(file: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size > maxBytes)
      throw new AsofError('ASOF_EXTRACT_TOO_LARGE', `the file has ${size} bytes, more than the limit of ${maxBytes}`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

function urlMaker(root: string, baseUrl: string | undefined): (file: string) => string {
  if (baseUrl === undefined) return file => pathToFileURL(file).href
  const base = URL.parse(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  if (!base || (base.protocol !== 'http:' && base.protocol !== 'https:')) {
    throw new AsofError('ASOF_INVALID_URL', `not an http or https URL: ${baseUrl}`)
  }
  return file => new URL(relative(root, file).split(sep).map(encodeURIComponent).join('/'), base).href
}
