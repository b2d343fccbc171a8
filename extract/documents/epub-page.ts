import { decodeBody, tidy } from '../encoding/charset.ts'
import { AsofError } from '../errors/errors.ts'
import { type ExtractedPage, type ExtractOptions, type ExtractWarning, withWarnings } from '../extracted-page.ts'
import { localName, readXml } from '../html/xml-reader.ts'
import { xmlToHtml } from '../html/xml-to-html.ts'
import { readPicture } from '../svg-page.ts'
import { dublinCore, fieldsFrom } from './document-properties.ts'
import { markedUpPage } from './marked-up-page.ts'
import { pathFrom } from './package-parts.ts'
import { joinPages } from './page-parts.ts'
import type { ZipArchive } from './zip-archive.ts'

const MAX_CHAPTERS = 2000

/**
 * Reads an EPUB 2 or 3: its chapters in reading order, separated by rules. Links within the book become plain text.
 * Chapters that are missing or encrypted give a warning.
 *
 * @throws ASOF_EXTRACT_FAILED - it is damaged, or all chapters are encrypted.
 */
export function readEpub(archive: ZipArchive, { latestAt }: ExtractOptions): ExtractedPage {
  const path = packagePath(archive)
  const source = path === undefined ? undefined : archive.text(path)
  if (path === undefined || source === undefined) {
    throw new AsofError('ASOF_EXTRACT_FAILED', 'the EPUB is damaged: META-INF/container.xml names no package document')
  }
  const spine = chaptersOf(source, path)
  const chapters = spine.slice(0, MAX_CHAPTERS)
  const encrypted = encryptedFiles(archive)
  const files = archive.read(chapters.filter(chapter => !encrypted.has(chapter)))
  if (files.size === 0 && chapters.some(chapter => encrypted.has(chapter)))
    throw new AsofError('ASOF_EXTRACT_FAILED', 'the EPUB is encrypted')
  const pages = chapters.flatMap(chapter => {
    const bytes = files.get(chapter)
    return bytes ? [chapterPage(tidy(decodeBody(bytes, undefined)))] : []
  })
  const page = joinPages(pages)
  return withWarnings({ ...page, ...fieldsFrom(dublinCore(source), page.markdown, latestAt) }, [
    ...unread(chapters.length - files.size, spine.length),
    ...unread(spine.length - chapters.length, spine.length, 'cut'),
  ])
}

function unread(count: number, all: number, code: ExtractWarning['code'] = 'pages-unread'): ExtractWarning[] {
  return count === 0 ? [] : [{ code, message: `not read: ${count} of ${all} chapters` }]
}

function chapterPage(source: string): ExtractedPage {
  return readPicture(source) ?? markedUpPage(xmlToHtml(source))
}

/** Returns the paths of files that are encrypted (EPUB OCF 3.3, 4.2.6.3). In many books only the fonts are. */
function encryptedFiles(archive: ZipArchive): Set<string> {
  const paths = new Set<string>()
  readXml(archive.text('META-INF/encryption.xml') ?? '', {
    open: (name, { uri }) => {
      if (localName(name) === 'cipherreference' && uri !== undefined) paths.add(pathFrom('', uri))
    },
  })
  return paths
}

/** Returns the path of the package document from META-INF/container.xml. */
function packagePath(archive: ZipArchive): string | undefined {
  let path: string | undefined
  readXml(archive.text('META-INF/container.xml') ?? '', {
    open: (name, attributes) => {
      if (localName(name) === 'rootfile') path ??= attributes['full-path']
    },
  })
  return path
}

/** Returns the paths of the chapters in reading order, each once. */
function chaptersOf(source: string, path: string): string[] {
  const files = new Map<string, string>()
  const spine: string[] = []
  readXml(source, {
    open: (name, { id, href, idref, 'media-type': type = '' }) => {
      if (localName(name) === 'item' && id !== undefined && href !== undefined && /html|xml$/.test(type))
        files.set(id, pathFrom(path, href))
      else if (localName(name) === 'itemref' && idref !== undefined) spine.push(idref)
    },
  })
  return [...new Set(spine.flatMap(id => files.get(id) ?? []))]
}
