import { AsofError, isAsofError, isPlainObject, messageOf, shown, unknownName } from '@asof/extract/errors'
import type { TimeInput } from '../../page.ts'
import { MAX_NEAR } from './lexer.ts'
import {
  fields,
  MAX_CLAUSES,
  MAX_QUERY_DEPTH,
  type RangeField,
  rangeFields,
  type SearchField,
  type SyntaxNode,
  type WordsNode,
} from './parser.ts'

/**
 * A query in the full language (mode `webql`) as a tree, for programs that would otherwise have to assemble a text. It finds the same pages as
 * the text: `{ all: ['red', { phrase: 'arctic fox' }], not: 'toy' }` is `red "arctic fox" NOT toy`.
 */
export type QueryTree = QueryPhrase | QueryPrefix | QueryFuzzy | QueryNear | QueryGroup

/** A part of a tree. A page must contain all words of a string. No sign in a string has a meaning. */
export type QueryPart = string | QueryTree

/** Words in their order, as they are written. */
export interface QueryPhrase {
  phrase: string
}

/** Words that begin with the given letters, which are at least two, unless their script has no spaces. */
export interface QueryPrefix {
  prefix: string
}

/** A word that may be misspelled. */
export interface QueryFuzzy {
  fuzzy: string
  /** The number of letters that may differ. Default: by the length of the word, at most 2. */
  edits?: 1 | 2
}

/** Two words or phrases near each other, in any order. */
export interface QueryNear {
  near: readonly [left: string | QueryPhrase, right: string | QueryPhrase]
  /** The largest distance, 1 to 100 words. */
  within: number
}

/** A window of time, with its ends in the formats of the time filters. An end that is absent is open. */
export interface QueryTimes {
  /** The beginning of the window, included. */
  from?: TimeInput
  /** The end of the window, included. A day ends with its last millisecond. */
  to?: TimeInput
}

/** Conditions on a page. The page must fulfill every one that is given. The part of a field, such as `title`, cannot contain another field. */
export interface QueryGroup {
  /** The page must fulfill all of these parts. */
  all?: readonly QueryPart[]
  /** The page must fulfill at least one of these parts. */
  any?: readonly QueryPart[]
  /** The page must not fulfill this part. */
  not?: QueryPart
  title?: QueryPart
  url?: QueryPart
  site?: QueryPart
  lang?: QueryPart
  author?: QueryPart
  /** The kind of the page, such as `docs`. */
  type?: QueryPart
  published?: QueryTimes
  acquired?: QueryTimes
}

/** A tree that was read. */
export interface ReadTree {
  /** The query as a text of the full language. */
  text: string
  /** The syntax tree of that text. */
  tree: SyntaxNode
  /** The path of each node that an error can be about, such as `query.all[1].phrase`, by its offset in the text. */
  paths: ReadonlyMap<number, string>
}

/**
 * Reads a query that is given as a tree.
 *
 * @throws ASOF_INVALID_QUERY - `details.field` is the path of the wrong part, such as `query.all[1].phrase`.
 */
export function readQueryTree(given: unknown): ReadTree {
  const reader = new TreeReader()
  try {
    const tree = reader.node(given, { path: 'query', depth: 0 })
    return { text: reader.text, tree, paths: reader.paths }
  } catch (cause) {
    if (cause instanceof AsofError) throw cause
    // A getter or proxy in the caller's object threw.
    throw invalidTree('query', 'cannot be read', { cause })
  }
}

/** Runs a step of reading a query. If the query was given as a tree, a syntax error names the part of the tree instead of a position. */
export function naming<T>(paths: ReadTree['paths'] | undefined, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const path = isAsofError(error, 'ASOF_INVALID_QUERY') ? paths?.get(Number(error.details?.position)) : undefined
    if (path === undefined) throw error
    const reason = messageOf(error)
      .replace(/^query: /, '')
      .replace(/ \(at position \d+\)$/, '')
    throw invalidTree(path, reason, { cause: error })
  }
}

type ReadPart = () => SyntaxNode

/** Where a part is in the tree. */
interface Place {
  path: string
  depth: number
  /** The field that contains the part. Undefined if none does. */
  field?: SearchField | undefined
}

const leaves = { phrase: [], prefix: [], fuzzy: ['edits'], near: ['within'] } as const
type Leaf = keyof typeof leaves
const groups = ['all', 'any', 'not', ...fields, ...rangeFields] as const

/** Reads a tree from left to right and writes its text meanwhile. */
class TreeReader {
  text = ''
  readonly paths = new Map<number, string>()
  #clauses = 0

  node(given: unknown, place: Place): SyntaxNode {
    const { path, depth } = place
    if (depth > MAX_QUERY_DEPTH) throw invalidTree(path, `is nested deeper than ${MAX_QUERY_DEPTH} levels`)
    if (typeof given === 'string') return this.#string(given, place)
    if (!isPlainObject(given))
      throw invalidTree(path, `must be a string or an object such as { all: ['a', 'b'] }, not ${shown(given)}`)
    const names = Object.keys(given).filter(name => given[name] !== undefined)
    const leaf = names.find((name): name is Leaf => Object.hasOwn(leaves, name))
    if (leaf) {
      const other = names.find(name => name !== leaf && !(leaves[leaf] as readonly string[]).includes(name))
      if (other !== undefined)
        throw invalidTree(`${path}.${other}`, `is not allowed beside ${leaf}; put both into a list of all`)
      return this.#leaf(leaf, given, place)
    }
    if (names.length === 0) throw invalidTree(path, 'is empty')
    const parts = names.flatMap(name => {
      const inside = { ...place, path: `${path}.${name}`, depth: names.length === 1 ? depth : depth + 1 }
      return name === 'all' ? this.#list(given.all, inside) : [() => this.#part(name, given[name], inside)]
    })
    return this.#joined('and', parts, depth)
  }

  #part(name: string, given: unknown, place: Place): SyntaxNode {
    const { path, depth, field } = place
    if (name === 'any') return this.#joined('or', this.#list(given, place), depth)
    if (name === 'not') {
      this.#write('NOT ')
      return { kind: 'not', part: this.node(given, { ...place, depth: depth + 1 }) }
    }
    const searched = fields.find(known => known === name)
    const ranged = rangeFields.find(known => known === name)
    if (!searched && !ranged) {
      const { hint, ...details } = unknownName(name, [...Object.keys(leaves), ...groups])
      throw invalidTree(path, `is unknown; ${hint}`, { details })
    }
    if (field) throw invalidTree(path, `is not allowed inside ${field}`)
    if (ranged) return this.#range(ranged, given, place)
    this.#write(`${name}:`)
    return this.node(given, { ...place, depth: depth + 1, field: searched })
  }

  /** Returns for each part of a list a function that reads the part. */
  #list(given: unknown, place: Place): ReadPart[] {
    const { path, depth } = place
    if (!Array.isArray(given) || given.length === 0)
      throw invalidTree(path, `must be a list of at least one part, not ${shown(given)}`)
    if (given.length > MAX_CLAUSES) throw invalidTree(path, `has more than ${MAX_CLAUSES} parts`)
    return given.map((part, i) => () => this.node(part, { ...place, path: `${path}[${i}]`, depth: depth + 1 }))
  }

  /** Reads parts and joins them if there are several. Only the whole query has no parentheses. */
  #joined(kind: 'and' | 'or', given: readonly ReadPart[], depth: number): SyntaxNode {
    if (given.length === 1) return given[0]!()
    if (depth > 0) this.#write('(')
    const parts = given.map((read, i) => {
      if (i > 0) this.#write(kind === 'or' ? ' OR ' : ' ')
      return read()
    })
    if (depth > 0) this.#write(')')
    return { kind, parts }
  }

  /** Reads a string: all of its words. */
  #string(given: string, place: Place): SyntaxNode {
    const words = given.split(/\s+/).filter(word => word !== '')
    if (words.length === 0) throw invalidTree(place.path, 'has no word')
    const parts = words.map(word => () => this.#words(word, word, place))
    return this.#joined('and', parts, place.depth)
  }

  #words(text: string, written: string, { path, field }: Place, quoted = false): WordsNode {
    return { kind: 'words', field, text, quoted, at: this.#clause(written, path) }
  }

  #leaf(leaf: Leaf, given: Record<string, unknown>, place: Place): SyntaxNode {
    const path = `${place.path}.${leaf}`
    const { field } = place
    if (leaf === 'near') return this.#near(given, { ...place, path })
    const text = given[leaf]
    if (typeof text !== 'string') throw invalidTree(path, `must be a string, not ${shown(text)}`)
    if (text.trim() === '') throw invalidTree(path, 'has no word')
    if (leaf === 'phrase') return this.#words(text, `"${text}"`, { ...place, path }, true)
    if (leaf === 'prefix') return { kind: 'prefix', field, text, at: this.#clause(`${text}*`, path) }
    const { edits } = given
    if (edits !== undefined && edits !== 1 && edits !== 2)
      throw invalidTree(`${place.path}.edits`, `must be 1 or 2, not ${shown(edits)}`)
    const at = this.#clause(`${text}~${edits ?? ''}`, path)
    return { kind: 'fuzzy', field, text, distance: edits, at }
  }

  #near({ near, within }: Record<string, unknown>, place: Place): SyntaxNode {
    const distance = Number(within)
    if (typeof within !== 'number' || !Number.isInteger(distance) || distance < 1 || distance > MAX_NEAR)
      throw invalidTree(place.path.replace(/near$/, 'within'), `must be a whole number from 1 to ${MAX_NEAR}`)
    if (!Array.isArray(near) || near.length !== 2)
      throw invalidTree(place.path, 'must be a list of two words or phrases')
    const side = (i: number): WordsNode => {
      const part = this.node(near[i], { ...place, path: `${place.path}[${i}]` })
      if (part.kind === 'words') return part
      throw invalidTree(`${place.path}[${i}]`, 'must be one word or a phrase')
    }
    if (place.field) this.#write('(')
    const left = side(0)
    this.#write(` NEAR/${distance} `)
    const right = side(1)
    if (place.field) this.#write(')')
    return { kind: 'near', left, right, distance }
  }

  #range(field: RangeField, given: unknown, { path }: Place): SyntaxNode {
    if (!isPlainObject(given) || Object.keys(given).some(name => name !== 'from' && name !== 'to'))
      throw invalidTree(path, 'must be an object with the ends of a time: { from, to }')
    const [from, to] = ['from', 'to'].map(name => endOf(given[name], `${path}.${name}`)) as [string, string]
    this.#write(`${field}:`)
    return { kind: 'range', field, from, to, at: this.#clause(`[${from} TO ${to}]`, path) }
  }

  /** Writes a word, a phrase, a pattern or a range. Returns its offset. */
  #clause(written: string, path: string): number {
    if (++this.#clauses > MAX_CLAUSES) throw invalidTree('query', `has more than ${MAX_CLAUSES} words and phrases`)
    const at = this.text.length
    this.paths.set(at, path)
    this.#write(written)
    return at
  }

  #write(text: string): void {
    this.text += text
  }
}

/** Returns an end of a time as the query language writes it. */
function endOf(given: unknown, path: string): string {
  if (given === undefined) return '*'
  if (typeof given === 'string') return given
  const time = given instanceof Date ? given : new Date(typeof given === 'number' ? given : Number.NaN)
  if (Number.isNaN(time.getTime())) throw invalidTree(path, 'must be a Date, epoch milliseconds or a string')
  return time.toISOString()
}

function invalidTree(
  path: string,
  reason: string,
  { cause, details }: { cause?: unknown; details?: { nearest?: string } } = {},
): AsofError {
  const field = path.slice(0, 200)
  return new AsofError('ASOF_INVALID_QUERY', `${field}: ${reason}`, { cause, details: { ...details, field } })
}
