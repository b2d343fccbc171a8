import { ByteWriter } from '../bytes/byte-buffer.ts'
import { ANYTHING, nextWordBit } from '../segment/positions/next-word-signature.ts'
import { placeOf } from '../segment/positions/place.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { VECTOR_TERMS, writeTermVector } from '../segment/term-vector.ts'
import { TokenBuffer, tokenize } from '../text/terms/tokens.ts'
import { LEFT_OUT, TermTraits } from './term-traits.ts'

/** The postings of one page, ordered by the first occurrence of their terms. Valid until the next page. */
export interface PagePostings {
  /** Number of postings. */
  count: number
  /** Per posting, the id of its term in the interner. */
  terms: Uint32Array
  /** Per posting, the end of its bytes. */
  ends: Uint32Array
  /** Per posting: varint frequency − 1, varint bytes of places, and these, with the next-word signature first. */
  bytes: Uint8Array
  /** The encoded term vector of title and text. */
  vector: Uint8Array
}

/** The parts of a page's tokens. */
export interface PageParts {
  /** Number of tokens of the title. */
  title: number
  /**
   * Number of tokens of title and text. The tokens after them are words of identifiers. Each of these makes a posting if
   * neither title nor text contains it, and none is in the term vector.
   */
  text: number
  /** Per token, 1 if the term vector leaves it out. Default: all are in it. */
  unlisted?: Uint8Array
}

/** Turns a page into postings, by the rules of the analyzer that is in use (`withAnalyzer`). */
export interface PageAnalyzer {
  /** The tokens of the page. The caller sets their `count` to 0 for each page. */
  readonly tokens: TokenBuffer
  /** Appends the tokens of a text to {@link tokens}, see `tokenize`. */
  tokenize(text: string, firstPosition: number): number
  /** Returns the postings of tokens, which are {@link tokens} or made from them. */
  invert(tokens: TokenBuffer, parts: PageParts): PagePostings
}

/**
 * The page analyzer in TypeScript: for pages that the kernel does not take, and the oracle of the kernel's tests. A body may have 20 MiB, of
 * which every second character may be a token; a kernel for these would reserve half a gigabyte in each thread.
 */
export class PlainAnalyzer implements PageAnalyzer {
  readonly tokens = new TokenBuffer()
  readonly #traits = new TermTraits()
  /** Per term of the interner, its first and last token in the page. Between pages, `#first` is −1. */
  #first = new Int32Array(0)
  #last = new Int32Array(0)
  /** Per token, the next token of the same term. */
  #next = new Int32Array(1024)
  #terms = new Uint32Array(1024)
  #ends = new Uint32Array(1024)
  readonly #bytes = new ByteWriter(4096)
  readonly #vector = new ByteWriter(4 * VECTOR_TERMS)
  readonly #hashes = new Uint16Array(VECTOR_TERMS)
  readonly #frequencies = new Uint8Array(VECTOR_TERMS)

  /** About how much memory it takes. */
  get bytes(): number {
    return 4 * (4 * this.tokens.ids.length + 3 * this.#first.length + 3 * this.#next.length) + this.#bytes.bytes.length
  }

  tokenize(text: string, firstPosition: number): number {
    return tokenize(text, this.tokens, firstPosition)
  }

  invert(tokens: TokenBuffer, { title, text, unlisted }: PageParts): PagePostings {
    this.#reserve(tokens.count)
    const { ids, positions, endings } = tokens
    const next = this.#next
    const first = this.#first
    const out = this.#bytes
    const { traits } = this.#traits
    const count = this.#listTerms(tokens, text)
    out.clear()
    let inVector = 0
    for (let posting = 0; posting < count; posting++) {
      const id = this.#terms[posting]!
      let frequency = 0
      let bytes = 1
      let previous = 0
      let followers = 0
      let lastFollower = ANYTHING
      let followerBits = 0
      for (let i = first[id]!; i >= 0; i = next[i]!) {
        const position = positions[i]!
        const place = placeOf(position, endings[i]!)
        const gap = place - previous
        previous = place
        let behind = i + 1
        while (behind < text && positions[behind] === position) behind++
        for (; behind < text && positions[behind] === position + 1; behind++) {
          lastFollower = (traits[ids[behind]!]! >>> 16) & 255
          followerBits |= nextWordBit(lastFollower)
          followers++
        }
        bytes += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : gap < 0x10000000 ? 4 : 5
        frequency += i < title ? rankingModel.titleWeight : 1
      }
      const isListed = first[id]! < text && traits[id]! < LEFT_OUT && !unlisted?.[first[id]!]
      if (isListed && inVector < VECTOR_TERMS) {
        this.#hashes[inVector] = traits[id]! & 0xffff
        this.#frequencies[inVector++] = Math.min(255, frequency)
      }
      out.varint(frequency - 1)
      out.varint(bytes)
      if (frequency > 1) out.u8(followerBits)
      else out.u8(followers === 1 ? lastFollower : ANYTHING)
      previous = 0
      for (let i = first[id]!; i >= 0; i = next[i]!) {
        const place = placeOf(positions[i]!, endings[i]!)
        out.varint(place - previous)
        previous = place
      }
      first[id] = -1
      this.#ends[posting] = out.length
    }
    this.#vector.clear()
    const hashes = this.#hashes.subarray(0, inVector)
    writeTermVector({ hashes, frequencies: this.#frequencies.subarray(0, inVector) }, this.#vector)
    return {
      count,
      terms: this.#terms,
      ends: this.#ends,
      bytes: out.bytes.subarray(0, out.length),
      vector: this.#vector.bytes.subarray(0, this.#vector.length),
    }
  }

  /** Links the tokens of each term and lists the terms. Returns the number of terms. */
  #listTerms({ ids, count }: TokenBuffer, textTokens: number): number {
    const next = this.#next
    const first = this.#first
    const last = this.#last
    let terms = 0
    for (let i = 0; i < textTokens; i++) {
      const id = ids[i]!
      next[i] = -1
      if (first[id]! < 0) {
        first[id] = i
        this.#terms[terms++] = id
      } else next[last[id]!] = i
      last[id] = i
    }
    for (let i = textTokens; i < count; i++) {
      const id = ids[i]!
      if (first[id]! >= 0) continue
      next[i] = -1
      first[id] = i
      this.#terms[terms++] = id
    }
    return terms
  }

  #reserve(tokens: number): void {
    this.#traits.learn()
    const terms = this.#traits.traits.length
    if (terms > this.#first.length) {
      this.#first = new Int32Array(terms).fill(-1)
      this.#last = new Int32Array(terms)
    }
    if (tokens <= this.#next.length) return
    this.#next = new Int32Array(tokens * 2)
    this.#terms = new Uint32Array(tokens * 2)
    this.#ends = new Uint32Array(tokens * 2)
  }
}
