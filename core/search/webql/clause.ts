import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TopKCondition } from '../../kernels/topk-query.ts'
import {
  fillFromList,
  fillRange,
  intersect,
  invert,
  newWindowBits,
  popCount,
  unite,
  type WindowBits,
} from '../../kernels/window-bits.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import { hasBit, type OrdinalBits } from '../fields/ordinal-bits.ts'
import type { PostingCursor } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { PatternExpansion } from './pattern-expansion.ts'

/** A condition opened on one segment. A conjunction evaluates its smallest part first. */
export interface Clause extends TopKCondition {
  /** True if {@link fill} sets the bits of exactly the captures that match. */
  readonly isExact: boolean
}

/** Decoded ordinals of one block. Shared by all clauses, because each uses it only within one call. */
const ordinals = new Uint32Array(BLOCK)

/** Matches the captures in one posting list. */
export class TermClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #cursor: PostingCursor

  constructor(cursor: PostingCursor) {
    this.size = cursor.list.count
    this.#cursor = cursor
  }

  fill(base: number, out: WindowBits): void {
    fillFromList(this.#cursor.list, base, out, ordinals)
  }

  matches(ordinal: number): boolean {
    return this.#cursor.advance(ordinal) >= 0
  }
}

/** Matches the captures that contain a term of a pattern. */
export class PatternClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #expansion: PatternExpansion

  constructor(expansion: PatternExpansion) {
    this.size = expansion.bits.length * 32
    this.#expansion = expansion
  }

  fill(base: number, out: WindowBits): void {
    const { bits } = this.#expansion
    out.fill(0)
    out.set(bits.subarray(base / 32, (base + WINDOW) / 32))
  }

  matches(ordinal: number): boolean {
    return this.#expansion.has(ordinal)
  }
}

/** Matches the captures with an ordinal in `[from, to)`. */
export class RangeClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #from: number
  readonly #to: number

  constructor(from: number, to: number) {
    this.size = Math.max(0, to - from)
    this.#from = from
    this.#to = to
  }

  fill(base: number, out: WindowBits): void {
    fillRange(this.#from, this.#to, base, out)
  }

  matches(ordinal: number): boolean {
    return ordinal >= this.#from && ordinal < this.#to
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

/** Matches the captures of a set. */
export class BitsClause implements Clause {
  readonly size: number
  readonly isExact = true
  readonly #bits: OrdinalBits

  constructor(bits: OrdinalBits) {
    this.#bits = bits
    this.size = bits.reduce((sum, word) => sum + popCount(word), 0)
  }

  fill(base: number, out: WindowBits): void {
    out.fill(0)
    out.set(this.#bits.subarray(base / 32, (base + WINDOW) / 32))
  }

  matches(ordinal: number): boolean {
    return hasBit(this.#bits, ordinal)
  }
}

/** Number of captures whose positions are read between two checks of the search time. */
const BETWEEN_CHECKS = 64

/** A condition that must read positions. The captures that all of its posting lists contain are candidates. */
export class PositionClause implements Clause {
  readonly size: number
  readonly isExact = false
  readonly #candidates: Clause
  readonly #test: (ordinal: number) => boolean
  #tested = 0

  constructor(cursors: readonly PostingCursor[], test: (ordinal: number) => boolean) {
    this.#candidates = allOf([...new Set(cursors)].map(cursor => new TermClause(cursor)))
    this.size = this.#candidates.size
    this.#test = test
  }

  fill(base: number, out: WindowBits): void {
    this.#candidates.fill(base, out)
  }

  matches(ordinal: number): boolean {
    if (++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    return this.#test(ordinal)
  }
}

/** Conjunction. */
class AllClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly #bySize: readonly Clause[]
  /** Exact parts first, because they need no positions. */
  readonly #byCost: readonly Clause[]
  readonly #scratch = newWindowBits()

  /** @param parts - at least two. */
  constructor(parts: readonly Clause[]) {
    this.#bySize = [...parts].sort((a, b) => a.size - b.size)
    this.#byCost = [...this.#bySize].sort((a, b) => Number(b.isExact) - Number(a.isExact))
    this.size = Math.min(...parts.map(({ size }) => size))
    this.isExact = parts.every(({ isExact }) => isExact)
  }

  fill(base: number, out: WindowBits): void {
    this.#bySize[0]!.fill(base, out)
    for (let i = 1; i < this.#bySize.length; i++) {
      this.#bySize[i]!.fill(base, this.#scratch)
      if (!intersect(out, this.#scratch)) return
    }
  }

  matches(ordinal: number): boolean {
    for (const part of this.#byCost) if (!part.matches(ordinal)) return false
    return true
  }
}

/** Disjunction. */
class AnyClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly #parts: readonly Clause[]
  readonly #scratch = newWindowBits()

  constructor(parts: readonly Clause[]) {
    this.#parts = [...parts].sort((a, b) => Number(b.isExact) - Number(a.isExact))
    this.size = parts.reduce((sum, { size }) => sum + size, 0)
    this.isExact = parts.every(({ isExact }) => isExact)
  }

  fill(base: number, out: WindowBits): void {
    this.#parts[0]!.fill(base, out)
    for (let i = 1; i < this.#parts.length; i++) {
      this.#parts[i]!.fill(base, this.#scratch)
      unite(out, this.#scratch)
    }
  }

  matches(ordinal: number): boolean {
    for (const part of this.#parts) if (part.matches(ordinal)) return true
    return false
  }
}

/** Negation. */
class NotClause implements Clause {
  readonly size = Number.POSITIVE_INFINITY
  readonly isExact: boolean
  readonly #part: Clause

  constructor(part: Clause) {
    this.#part = part
    this.isExact = part.isExact
  }

  fill(base: number, out: WindowBits): void {
    // The bits of an inexact part are only candidates, which need not match, so none of them can be excluded here.
    if (!this.isExact) {
      out.fill(0xffff_ffff)
      return
    }
    this.#part.fill(base, out)
    invert(out)
  }

  matches(ordinal: number): boolean {
    return !this.#part.matches(ordinal)
  }
}

/** Matches no capture. */
export const nothing: Clause = new RangeClause(0, 0)
/** Matches every capture. */
const everything: Clause = new RangeClause(0, Number.POSITIVE_INFINITY)

/** @param parts - at least one. */
export function allOf(parts: readonly Clause[]): Clause {
  if (parts.includes(nothing)) return nothing
  const needed = parts.filter(part => part !== everything)
  return needed.length === 0 ? everything : needed.length === 1 ? needed[0]! : new AllClause(needed)
}

/** @param parts - at least one. */
export function anyOf(parts: readonly Clause[]): Clause {
  if (parts.includes(everything)) return everything
  const possible = parts.filter(part => part !== nothing)
  return possible.length === 0 ? nothing : possible.length === 1 ? possible[0]! : new AnyClause(possible)
}

export function notOf(part: Clause): Clause {
  return part === nothing ? everything : part === everything ? nothing : new NotClause(part)
}
