import { BLOCK } from '../../bytes/bit-packing.ts'
import type { AdjacentWord, TopKCondition } from '../../kernels/topk-query.ts'
import {
  complement,
  fillFromList,
  fillRange,
  intersect,
  isEmpty,
  newWindowBits,
  unite,
  type WindowBits,
} from '../../kernels/window-bits.ts'
import { hasBit, type OrdinalBits } from '../../postings/ordinal-bits.ts'
import type { PostingCursor } from '../../postings/posting-cursor.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import type { PhraseMatcher } from './phrase-matcher.ts'

/** A condition that is opened on one segment: it tests the captures of the segment. A conjunction evaluates its smallest part first. */
export interface Clause extends TopKCondition {
  /** Posting lists, each of which contains every match. Default: none. */
  readonly lists?: readonly PostingList[]
}

/** Decoded ordinals of one block. Shared by all clauses, because each uses it only within one call. */
const ordinals = new Uint32Array(BLOCK)

/** Matches the captures in one posting list. */
export class TermClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly lists: readonly PostingList[]
  readonly #cursor: PostingCursor

  constructor(cursor: PostingCursor) {
    this.size = cursor.list.count
    this.lists = [cursor.list]
    this.#cursor = cursor
  }

  fill(base: number, out: WindowBits): void {
    fillFromList(this.#cursor.list, base, out, ordinals)
  }

  matches(ordinal: number): boolean {
    return this.#cursor.advance(ordinal) >= 0
  }
}

/** Matches the captures with an ordinal in `[from, to)`. */
export class RangeClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly from: number
  readonly to: number

  constructor(from: number, to: number) {
    this.size = Math.max(0, to - from)
    this.from = from
    this.to = to
  }

  fill(base: number, out: WindowBits): void {
    fillRange(this.from, this.to, base, out)
  }

  matches(ordinal: number): boolean {
    return ordinal >= this.from && ordinal < this.to
  }
}

/** Matches the captures published within a window of time. Captures without a publish date do not match. */
export class PublishedClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #publishedAt: Float64Array
  readonly #from: number
  readonly #to: number

  constructor(publishedAt: Float64Array, from: number, to: number) {
    this.size = publishedAt.length
    this.#publishedAt = publishedAt
    this.#from = from
    this.#to = to
  }

  fill(base: number, out: WindowBits): void {
    out.fill(0)
    const end = Math.min(WINDOW, this.#publishedAt.length - base)
    for (let at = 0; at < end; at++) if (this.matches(base + at)) out[at >>> 5]! |= 1 << (at & 31)
  }

  matches(ordinal: number): boolean {
    const at = this.#publishedAt[ordinal]!
    return at >= this.#from && at <= this.#to
  }
}

/** Number of captures that are read between two checks of the search time. */
const BETWEEN_CHECKS = 64

/** Matches the captures whose URL passes a test, which reads the record of the capture. Any capture of the segment may match. */
export class PathClause implements Clause {
  readonly size: number
  readonly isExact = false
  readonly #test: (ordinal: number) => boolean
  #tested = 0

  /** @param size - number of captures of the segment. */
  constructor(size: number, test: (ordinal: number) => boolean) {
    this.size = size
    this.#test = test
  }

  fill(_: number, out: WindowBits): void {
    out.fill(0xffff_ffff)
  }

  matches(ordinal: number): boolean {
    if (++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    return this.#test(ordinal)
  }
}

/** Matches the captures of a set. */
export class BitsClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #bits: OrdinalBits

  /** @param size - approximate number of captures in the set, see {@link TopKCondition.size}. */
  constructor(bits: OrdinalBits, size: number) {
    this.#bits = bits
    this.size = size
  }

  fill(base: number, out: WindowBits): void {
    out.fill(0)
    out.set(this.#bits.subarray(base / 32, (base + WINDOW) / 32))
  }

  matches(ordinal: number): boolean {
    return hasBit(this.#bits, ordinal)
  }
}

/** A condition that is tested by reading positions. Only captures that all of its posting lists contain may match. */
export class PositionClause implements Clause {
  readonly size: number
  readonly isExact = false
  readonly lists: readonly PostingList[]
  readonly #phrases: readonly PhraseMatcher[]
  /** The cursors of the phrases, each once. A phrase may contain a term several times. */
  readonly #cursors: readonly PostingCursor[]
  #possible: Clause | undefined
  readonly #test: (ordinal: number) => boolean
  #tested = 0

  /** @param phrases - each match contains all of them. */
  constructor(phrases: readonly PhraseMatcher[], test: (ordinal: number) => boolean) {
    this.#cursors = [...new Set(phrases.flatMap(({ cursors }) => cursors))]
    this.lists = this.#cursors.map(({ list }) => list)
    this.size = Math.min(...this.lists.map(({ count }) => count))
    this.#phrases = phrases
    this.#test = test
  }

  /** Words of the phrases that another word must follow immediately. */
  adjacentWords(): AdjacentWord[] {
    return this.#phrases.flatMap(phrase => phrase.adjacentWords())
  }

  fill(base: number, out: WindowBits): void {
    this.#possible ??= allClauses(this.#cursors.map(cursor => new TermClause(cursor)))
    this.#possible.fill(base, out)
  }

  matches(ordinal: number): boolean {
    if (++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    return this.#test(ordinal)
  }
}

/** Matches the captures that contain a phrase. */
export class PhraseClause extends PositionClause {
  readonly phrase: PhraseMatcher

  constructor(phrase: PhraseMatcher) {
    super([phrase], ordinal => phrase.isIn(ordinal))
    this.phrase = phrase
  }
}

/** Conjunction. */
export class AllClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly parts: readonly Clause[]
  /** The parts that are exact first, because a test of the others reads positions. */
  readonly #byCost: readonly Clause[]
  #scratch: WindowBits | undefined

  /** @param parts - at least two. */
  constructor(parts: readonly Clause[]) {
    this.parts = [...parts].sort((a, b) => a.size - b.size)
    this.#byCost = exactFirst(this.parts)
    this.size = this.parts[0]!.size
    this.isExact = parts.every(({ isExact }) => isExact)
  }

  fill(base: number, out: WindowBits): void {
    this.#scratch ??= newWindowBits()
    const scratch = this.#scratch
    this.parts[0]!.fill(base, out)
    for (let i = 1; i < this.parts.length && !isEmpty(out); i++) {
      this.parts[i]!.fill(base, scratch)
      intersect(out, scratch)
    }
  }

  matches(ordinal: number): boolean {
    for (const part of this.#byCost) if (!part.matches(ordinal)) return false
    return true
  }
}

/** Disjunction. */
export class AnyClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly parts: readonly Clause[]
  #scratch: WindowBits | undefined

  constructor(parts: readonly Clause[]) {
    this.parts = exactFirst(parts)
    this.size = parts.reduce((sum, { size }) => sum + size, 0)
    this.isExact = parts.every(({ isExact }) => isExact)
  }

  fill(base: number, out: WindowBits): void {
    this.#scratch ??= newWindowBits()
    const scratch = this.#scratch
    this.parts[0]!.fill(base, out)
    for (let i = 1; i < this.parts.length; i++) {
      this.parts[i]!.fill(base, scratch)
      unite(out, scratch)
    }
  }

  matches(ordinal: number): boolean {
    for (const part of this.parts) if (part.matches(ordinal)) return true
    return false
  }
}

/** More than the number of captures of any segment. */
const MAX_CAPTURES = 2 ** 32

/** Negation. */
class NotClause implements Clause {
  /** The larger the part, the smaller its negation. So of several exclusions, a conjunction first tests the one that excludes the most captures. */
  readonly size: number
  readonly isExact: boolean
  readonly #part: Clause

  constructor(part: Clause) {
    this.#part = part
    this.size = MAX_CAPTURES - part.size
    this.isExact = part.isExact
  }

  fill(base: number, out: WindowBits): void {
    // An inexact part may also set bits of captures that do not match it, so no capture can be excluded here.
    if (!this.isExact) {
      out.fill(0xffff_ffff)
      return
    }
    this.#part.fill(base, out)
    complement(out)
  }

  matches(ordinal: number): boolean {
    return !this.#part.matches(ordinal)
  }
}

/** Matches no capture. */
export const nothing = new RangeClause(0, 0)
/** Matches every capture. */
export const everything = new RangeClause(0, Number.POSITIVE_INFINITY)

export function allClauses(clauses: readonly Clause[]): Clause {
  const parts = clauses.flatMap(clause => (clause instanceof AllClause ? clause.parts : [clause]))
  if (parts.includes(nothing)) return nothing
  const needed = parts.filter(part => part !== everything)
  return needed.length === 0 ? everything : needed.length === 1 ? needed[0]! : new AllClause(needed)
}

export function anyClause(clauses: readonly Clause[]): Clause {
  const parts = clauses.flatMap(clause => (clause instanceof AnyClause ? clause.parts : [clause]))
  if (parts.includes(everything)) return everything
  const possible = parts.filter(part => part !== nothing)
  return possible.length === 0 ? nothing : possible.length === 1 ? possible[0]! : new AnyClause(possible)
}

export function notOf(part: Clause): Clause {
  return part === nothing ? everything : part === everything ? nothing : new NotClause(part)
}

function exactFirst(parts: readonly Clause[]): readonly Clause[] {
  return [...parts].sort((a, b) => Number(b.isExact) - Number(a.isExact))
}
