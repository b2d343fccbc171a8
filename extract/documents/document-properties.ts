import { clip } from '../characters/surrogates.ts'
import type { ExtractedPage } from '../extracted-page.ts'
import { collapse } from '../html/html-tree.ts'
import { readXml } from '../html/xml-reader.ts'
import { parseMachineDate, type WrittenDate } from '../written-dates/date-text.ts'

const MAX_TITLE_CHARS = 300
const MAX_AUTHORS = 20
const DAY_MS = 86_400_000

/** The properties of a document, as the document has them. */
export interface DocumentProperties {
  title?: string | undefined
  authors: string[]
  /** The date as text, or already read. */
  date?: string | WrittenDate | undefined
  description?: string | undefined
  lang?: string | undefined
}

/** Matches names that programs write for an unknown author. */
const nobody =
  /^\(?(?:user|users?\d*|admin|administrator|owner|author|unknown|anonymous|unspecified|none|default|root|microsoft|apache poi|python-\w+|openpyxl)\)?$/i
/** Matches descriptions that programs write for documents without one. */
const noDescription = /^\(?(?:unspecified|none|untitled|generated (?:by|using|with) [\w.-]+)\)?$/i

/**
 * Converts the properties of a document to the fields of a page. A date more than one day after `latestAt` is ignored.
 *
 * @param body - Markdown. Without a title in the properties, its first heading is the title.
 */
export function fieldsFrom(
  { title, authors, date, description, lang }: DocumentProperties,
  body: string,
  latestAt: number | undefined,
): Partial<ExtractedPage> {
  const name = titleFrom(title) ?? headingOf(body)
  const names = [...new Set(authors.map(collapse))].filter(author => author !== '' && !nobody.test(author))
  const written = typeof date === 'string' ? parseMachineDate(date) : date
  const published =
    written && (latestAt === undefined || Date.parse(written.iso.slice(0, 10)) <= latestAt + DAY_MS)
      ? written
      : undefined
  const described = collapse(description ?? '')
  const about = noDescription.test(described) ? '' : described
  const language = /^([a-z]{2,3})(?:-[a-z\d]{2,8})*$/i.test(lang ?? '') ? lang : undefined
  return {
    title: name,
    author: names.length === 0 ? undefined : clip(names.slice(0, MAX_AUTHORS).join(', '), 500),
    publishedAt: published?.iso,
    publishedFrom: published && { source: 'meta', precision: published.precision },
    description: about === '' ? undefined : clip(about, 2000),
    lang: language,
  }
}

/** Returns the title; undefined if it is a file name or the default of a program. */
function titleFrom(title: string | undefined): string | undefined {
  const name = collapse(clip(title ?? '', 4 * MAX_TITLE_CHARS)).replace(/^Microsoft (?:Word|PowerPoint|Excel) - /i, '')
  const isFile = /\.(?:docx?|pptx?|xlsx?|indd|qxd|tex|dvi|pdf|pages|odt|rtf|html?)$/i.test(name)
  const isNothing =
    /^\(?(?:untitled(?: \w+)?|anonymous|unspecified|document\d*|presentation\d*|powerpoint presentation|book\d*|title)?\)?$/i.test(
      name,
    )
  return isFile || isNothing ? undefined : clip(name, MAX_TITLE_CHARS)
}

/** Returns the text of the first heading of level 1. If the document has no such heading, that of level 2. */
function headingOf(markdown: string): string | undefined {
  const heading = /^# (.+)$/m.exec(markdown) ?? /^## (.+)$/m.exec(markdown)
  const text = heading?.[1]?.replace(/\\([^\w\s])/g, '$1').trim()
  return text === undefined || text === '' ? undefined : clip(text, MAX_TITLE_CHARS)
}

/**
 * Reads the Dublin Core elements of an XML document, such as the properties of an Office document or the package
 * document of an EPUB.
 */
export function dublinCore(source: string): DocumentProperties {
  const values = new Map<string, string[]>()
  let element = ''
  readXml(source, {
    open: name => {
      element = name
      if (/^(?:dc|dcterms):/.test(name)) {
        const all = values.get(name) ?? []
        if (all.length < MAX_AUTHORS) all.push('')
        values.set(name, all)
      }
    },
    close: () => {
      element = ''
    },
    text: text => {
      const all = values.get(element)
      if (all) all.push(clip((all.pop() ?? '') + text, 5000))
    },
  })
  const first = (...names: string[]) =>
    names
      .flatMap(name => values.get(name) ?? [])
      .find(value => value.trim() !== '')
      ?.trim()
  return {
    title: first('dc:title'),
    authors: (values.get('dc:creator') ?? []).flatMap(names => names.split(';')),
    date: first('dc:date', 'dcterms:issued') ?? ownCreation(first('dcterms:created'), first('dcterms:modified')),
    description: first('dc:description'),
    lang: first('dc:language'),
  }
}

/**
 * Instants at which programs and libraries created the templates of their new documents: Excel 97 (two editions), PowerPoint
 * and Excel 2007, python-pptx, python-docx, and Excel 2016 (two editions). Their documents keep the instant.
 */
const templateCreations = new Set(
  [
    '1996-10-14T23:33:28Z',
    '1996-12-17T01:32:42Z',
    '2006-08-16T00:00:00Z',
    '2006-09-16T00:00:00Z',
    '2013-01-27T09:14:16Z',
    '2013-12-23T23:15:00Z',
    '2015-06-05T18:17:20Z',
    '2015-06-05T18:19:34Z',
  ].map(iso => Date.parse(iso)),
)

/**
 * Returns the creation date of a document; undefined if it is that of a template, or later than the last change, which a
 * document of its own cannot be.
 */
function ownCreation(created: string | undefined, modified: string | undefined): string | undefined {
  if (created === undefined) return undefined
  const at = Date.parse(created)
  return templateCreations.has(at) || Date.parse(modified ?? '') < at ? undefined : created
}
