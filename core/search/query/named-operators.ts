import { readInstant } from '../../dates/instant.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import type { SearchField, SyntaxNode } from '../webql/parser.ts'

/** Operators whose value is words in a part of the page. Undefined stands for title and text. */
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
  inpostauthor: 'use author: in the mode webql',
}

export function isOperatorName(name: string): boolean {
  return (
    [WORDS_IN, MISSING].some(table => Object.hasOwn(table, name)) || ['site', ...FILE_TYPES, ...TIMES].includes(name)
  )
}

/** True for an operator that applies to all words after it: `allintitle:`. */
export function takesAllWords(name: string): boolean {
  return name.startsWith('allin') && Object.hasOwn(WORDS_IN, name)
}

/** How an operator with its value is read. */
export interface OperatorReading {
  /** What pages must fulfill. Undefined if the operator and its value are words. */
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

/** The part of a page that the words in the parentheses after an operator belong to; undefined if it takes no parentheses. */
export function fieldOfGroup(name: string): { field: SearchField | undefined } | undefined {
  if (name === 'site') return { field: 'site' }
  return Object.hasOwn(WORDS_IN, name) ? { field: WORDS_IN[name] } : undefined
}

/** The date or timestamp of `before:` or `after:` in ISO 8601. A year or a month is its first day. */
function dayOf(value: string): string | undefined {
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(value) ?? []
  const text = year === undefined ? value : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return typeof readInstant(text, 'start') === 'number' ? text : undefined
}

/** `after:` includes its day, `before:` ends before it. */
function publishedNode(name: string, day: string): SyntaxNode {
  return name === 'after'
    ? { kind: 'range', field: 'published', from: day, to: '*', at: 0 }
    : { kind: 'range', field: 'published', from: '*', to: day, isOpen: true, at: 0 }
}
