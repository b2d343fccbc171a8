import { parseTOML } from 'confbox/toml'
import { parseYAML } from 'confbox/yaml'
import { type DocumentProperties, fieldsFrom } from '../documents/document-properties.ts'
import type { ExtractedPage } from '../extracted-page.ts'
import { parseMachineDate, parseTextDate, type WrittenDate } from '../written-dates/date-text.ts'
import { splitHeader } from './metadata-header.ts'

/** Maximum length of front matter, UTF-16 units. If it is longer, it is text. */
const MAX_FRONT_MATTER_UNITS = 64 * 1024
/** Maximum number of YAML aliases, with which a short text can represent a huge value. */
const MAX_YAML_ALIASES = 100
/** Maximum number of lines of pandoc's title block. */
const MAX_TITLE_LINES = 30
/** Maximum number of values read from a list. */
const MAX_VALUES = 20

/** The values of front matter by name. */
type Values = Readonly<Record<string, unknown>>

/** The front matter of a file, and the rest of the file. */
export interface FrontMatter {
  values: Values
  body: string
}

/** How front matter begins and ends. */
interface Form {
  opening: RegExp
  closing: RegExp
  read: (written: string) => Values | undefined
}

const forms: readonly Form[] = [
  { opening: /^---[ \t]*\n/, closing: /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m, read: yamlValues },
  { opening: /^\+\+\+[ \t]*\n/, closing: /^\+\+\+[ \t]*(?:\n|$)/m, read: tomlValues },
  {
    opening: /^(?:---[ \t]*json|;;;)[ \t]*\n/,
    closing: /^(?:---|;;;)[ \t]*(?:\n|$)/m,
    read: written => jsonValues(`{${withoutBraces(written)}}`),
  },
]

/**
 * Splits a Markdown file that begins with front matter: YAML between two lines `---`, TOML between two lines `+++`, JSON in braces or
 * between two lines `;;;`, the title block of pandoc, or the header of MultiMarkdown and Pelican. Invalid YAML is read line by line if
 * its beginning looks like front matter.
 *
 * @param source - text with `\n` as line breaks.
 * @returns undefined if the file has no front matter, or if that has no end, is too long or is ordinary text.
 */
export function splitFrontMatter(source: string): FrontMatter | undefined {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
  if (text.startsWith('{')) return splitJson(text)
  if (text.startsWith('%')) return splitTitleBlock(text)
  for (const { opening, closing, read } of forms) {
    const [begin] = opening.exec(text.slice(0, 200)) ?? []
    if (begin === undefined) continue
    const head = text.slice(begin.length, begin.length + MAX_FRONT_MATTER_UNITS)
    const end = closing.exec(head)
    if (!end) return undefined
    const written = head.slice(0, end.index)
    // An opening mark with an empty line after it is a horizontal rule.
    if (/^[ \t]*\n/.test(written)) return undefined
    const values = read(written)
    return values && { values, body: text.slice(begin.length + end.index + end[0].length) }
  }
  return splitHeader(text)
}

/** Splits a file that begins with an object in JSON, as Hugo reads it. The object ends with the first line that ends with its brace. */
function splitJson(text: string): FrontMatter | undefined {
  if (!/^\{\s*(?:"|\})/.test(text.slice(0, 200))) return undefined
  const end = jsonEnd(text.slice(0, MAX_FRONT_MATTER_UNITS))
  const values = end < 0 ? undefined : jsonValues(text.slice(0, end))
  if (!values || !(Object.keys(values).length === 0 || Object.keys(values).some(key => jsonNames.has(key))))
    return undefined
  // An object on one line with text below it is the first paragraph.
  const isBlock = text.slice(0, end).includes('\n')
  const rest = (isBlock ? /^[ \t]*(?:\n|$)/ : /^[ \t]*(?:\n[ \t]*(?=\n|$)|$)/).exec(text.slice(end, end + 1000))
  return rest ? { values, body: text.slice(end + rest[0].length) } : undefined
}

/** A JSON object is front matter if it has one of these names. Any other object is an example in the text. */
const jsonNames = new Set(
  (
    'title author authors date publishDate publishdate pubDate lastmod last_modified_at last_update updated modified description ' +
    'summary excerpt lang language draft slug layout tags categories keywords weight aliases type url id permalink sidebar_label'
  ).split(' '),
)

/** Returns the offset after the brace that closes the first one; -1 if there is none. */
function jsonEnd(text: string): number {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (isString) {
      if (unit === '\\') at++
      else if (unit === '"') isString = false
    } else if (unit === '"') isString = true
    else if (unit === '{') depth++
    else if (unit === '}' && --depth === 0) return at + 1
  }
  return -1
}

function jsonValues(written: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(written)
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}

function withoutBraces(written: string): string {
  const inner = written.trim()
  return inner.startsWith('{') && inner.endsWith('}') ? inner.slice(1, -1) : inner
}

/**
 * Splits pandoc's title block: up to three fields for title, authors and date, each after `%`. A line that begins with a blank continues
 * the field before it.
 */
function splitTitleBlock(text: string): FrontMatter | undefined {
  const fields: string[] = []
  let at = 0
  for (let lines = 0; lines < MAX_TITLE_LINES && at < text.length; lines++) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    if (/^%(?:[ \t]|$)/.test(line) && fields.length < 3) fields.push(line.slice(1).trim())
    else if (/^[ \t]+\S/.test(line) && fields.length > 0)
      fields.push(`${fields.pop()}${fields.length === 1 ? '; ' : ' '}${line.trim()}`)
    else break
    at = end < 0 ? text.length : end + 1
  }
  const [title = '', author = '', date = ''] = fields
  // An empty line must separate the title block from the body.
  if (title + author + date === '' || (at < text.length && !/^[ \t]*\n/.test(text.slice(at, at + 200))))
    return undefined
  const authors = author.split(';').map(name => name.trim())
  const values = { title, author: authors.filter(name => name !== ''), date }
  return {
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0)),
    body: text.slice(at),
  }
}

function yamlValues(written: string): Values | undefined {
  if (written.trim() === '') return {}
  let value: unknown
  try {
    value = parseYAML(written, { maxAliases: MAX_YAML_ALIASES })
  } catch {
    return /^[\w-]+[ \t]*:(?:[ \t\n]|$)/.test(written) ? valuesByLine(written) : undefined
  }
  // A sentence with a colon is a map in YAML too. So the first key must look like a name.
  return isMap(value) && /^[\w.$-]{1,100}$/.test(Object.keys(value)[0] ?? '') ? value : undefined
}

function tomlValues(written: string): Values | undefined {
  try {
    return parseTOML<Values>(written)
  } catch {
    return undefined
  }
}

/** Reads values that are on the same line as their names. It is for invalid YAML such as `title: Part 1: the start`. */
function valuesByLine(written: string): Values {
  const values: Record<string, unknown> = Object.create(null)
  for (const [, name = '', value = ''] of written.matchAll(/^([\w-]{1,100})[ \t]*:[ \t]+(\S.*)$/gm))
    values[name] ??= value.trim().replace(/^(["'])(.*)\1$/, '$2')
  return values
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names of values in Jekyll, Hugo, Docusaurus and similar software, in order of preference. */
const names = {
  title: ['title'],
  authors: ['author', 'authors'],
  date: ['date', 'publishDate', 'publishdate', 'pubDate'],
  modified: ['lastmod', 'last_modified_at', 'last_update', 'updated', 'modified'],
  description: ['description', 'summary', 'excerpt'],
  lang: ['lang', 'language'],
} as const

/**
 * Returns the fields of a page from the values of its front matter.
 *
 * @param latestAt - epoch milliseconds. A publish date more than one day later is ignored.
 */
export function fieldsOf(values: Values, latestAt: number | undefined): Partial<ExtractedPage> {
  const first = (field: keyof typeof names) =>
    names[field].map(name => ownValue(values, name)).find(value => value !== undefined)
  const properties: DocumentProperties = {
    title: textOf(first('title')),
    authors: namesOf(first('authors')),
    date: dateOf(first('date')),
    description: textOf(first('description')),
    lang: textOf(first('lang')),
  }
  const modified = first('modified')
  const modifiedAt = dateOf(isMap(modified) && !(modified instanceof Date) ? ownValue(modified, 'date') : modified)?.iso
  return { ...fieldsFrom(properties, '', latestAt), modifiedAt }
}

function ownValue(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function textOf(value: unknown): string | undefined {
  // TOML dates become ISO dates with the precision and offset of the file.
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns the names of authors. The value may be a text, an object with a name, or a list of these. */
function namesOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value]
  return list.flatMap(item => textOf(isMap(item) && !(item instanceof Date) ? ownValue(item, 'name') : item) ?? [])
}

function dateOf(value: unknown): WrittenDate | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : (parseMachineDate(text) ?? parseTextDate(text, 'month-first'))
}
