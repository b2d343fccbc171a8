import { readInstant } from '@asof/extract/timestamp'
import { queryTerms } from '../../text/terms/query-terms.ts'
import type { SearchField, SyntaxNode } from '../webql/parser.ts'

/** Operators that look for words in a part of the page, with the field of that part. Undefined means title and text. */
const WORDS_IN: Readonly<Record<string, SearchField | undefined>> = {
  intitle: 'title',
  allintitle: 'title',
  inurl: 'url',
  allinurl: 'url',
  intext: undefined,
  inbody: undefined,
  allintext: undefined,
}
const FILE_TYPES = ['filetype', 'ext']
const TIMES = ['before', 'after']

/** Operators of other engines that asof does not have, with what to do instead. */
const MISSING: Readonly<Record<string, string>> = {
  cache: 'look the page up by its URL, with a query time for an earlier version',
  related: 'search for words of the page',
  link: 'search for the address in quotation marks',
  inanchor: 'use intitle:',
  allinanchor: 'use intitle:',
  info: 'look the page up by its URL',
  define: 'search for the word',
  daterange: 'use after: and before: with dates',
  date: 'use after: and before: with dates',
  since: 'use after:',
  until: 'use before:',
  location: 'add the place as a word',
  loc: 'add the place as a word',
  language: 'use the option language, or lang: in the mode webql',
  lang: 'use the option language, or the mode webql',
  title: 'use intitle:, or the mode webql',
  url: 'use inurl:, or the mode webql',
  author: 'use the mode webql',
  published: 'use after: and before:, or the mode webql',
  acquired: 'use the options for times, or the mode webql',
  hasfeed: 'leave it out',
  feed: 'leave it out',
  source: 'use site:',
  domain: 'use site:',
  host: 'use site:',
  rhost: 'use site:',
  mime: 'use filetype:',
  extension: 'use filetype:',
  ip: 'use site:',
  contains: 'search for the words',
  inpostauthor: 'use author: in the mode webql',
}

const NAMES: ReadonlySet<string> = new Set([
  'site',
  ...Object.keys(WORDS_IN),
  ...FILE_TYPES,
  ...TIMES,
  ...Object.keys(MISSING),
])

/** True for the name of an operator, including those that asof does not have. @param name - in lower case. */
export function isOperatorName(name: string): boolean {
  return NAMES.has(name)
}

/** True for an operator that applies to all words after it: `allintitle:`. */
export function takesAllWords(name: string): boolean {
  return name.startsWith('allin') && Object.hasOwn(WORDS_IN, name)
}

/** How an operator with its value is read. */
export interface OperatorReading {
  /** The condition that pages must fulfill. Undefined if the operator and its value are read as words. */
  condition?: SyntaxNode
  /** True if its value is also words that rank pages. */
  scores?: boolean
  /** Says what the operator finds, or why it is read as words. */
  warning?: string
}

/**
 * Reads an operator other than `site:` with its value.
 *
 * @param name - in lower case.
 */
export function readOperator(name: string, value: string, quoted: boolean): OperatorReading {
  const asWords = (why: string): OperatorReading => ({ warning: `${name}: ${why}; it was searched for as a word` })
  const instead = MISSING[name]
  if (instead !== undefined) return value === '' ? {} : asWords(`is no operator of a plain query in asof: ${instead}`)
  // `after: the war` is words.
  if (value === '') return Object.hasOwn(WORDS_IN, name) ? asWords('needs a word directly after the colon') : {}
  if (TIMES.includes(name)) {
    const day = dayOf(value)
    if (day === undefined) return asWords('needs a date such as 2024-05-10, or a year')
    return { condition: publishedNode(name, day) }
  }
  if (queryTerms(value).length === 0) return asWords('needs a word directly after the colon')
  if (FILE_TYPES.includes(name)) {
    const type = value.replace(/^\./, '')
    return {
      condition: { kind: 'words', field: 'url', text: type, quoted: true, at: 0 },
      warning: `${name}: finds pages whose address has the word ${type}, because the index does not keep the types of files`,
    }
  }
  const field = WORDS_IN[name]
  return { condition: { kind: 'words', field, text: value, quoted, at: 0 }, scores: field !== 'url' }
}

/** Returns the field in which an operator looks for the words in parentheses after it. Undefined if it takes no parentheses. */
export function fieldOfGroup(name: string): { field: SearchField | undefined } | undefined {
  if (name === 'site') return { field: 'site' }
  return Object.hasOwn(WORDS_IN, name) ? { field: WORDS_IN[name] } : undefined
}

/** Returns the date or timestamp of `before:` or `after:` in ISO 8601, for a year or a month its first day. Undefined for any other text. */
function dayOf(value: string): string | undefined {
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(value) ?? []
  const text = year === undefined ? value : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return typeof readInstant(text, 'start') === 'number' ? text : undefined
}

/** Returns the condition of an operator: `after:` includes its day, `before:` does not. */
function publishedNode(name: string, day: string): SyntaxNode {
  return name === 'after'
    ? { kind: 'range', field: 'published', from: day, to: '*', at: 0 }
    : { kind: 'range', field: 'published', from: '*', to: day, isOpen: true, at: 0 }
}
