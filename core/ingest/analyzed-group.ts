import { ByteWriter } from '../segment/byte-buffer.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { type BodyDetails, SAMPLE_EVERY } from '../store/documents.ts'
import { hostTerm } from '../text/host-term.ts'
import { termTable } from '../text/term-table.ts'
import { TokenBuffer, tokenize } from '../text/tokens.ts'
import { hostOf, hostSuffixes } from '../url.ts'
import { Uint32List } from './uint32-list.ts'

/** Positions left free between title and body, so that no phrase runs from one into the other. */
export const TITLE_GAP = 10

/** One capture after extraction and analysis; its postings are in its group. */
export interface AnalyzedCapture {
  url: string
  aliases: string[]
  title: string
  titlePositions: number
  details: BodyDetails
  markdown: string
  samples: Uint32Array
  publishedAt?: number
  acquiredAt?: number
  /** 64 bits of the SHA-256 of title and text, in hex: equal for the same content. */
  fingerprint: string
  /** Weighted length. */
  length: number
}

/**
 * Several captures analysed together, inverted, in few flat buffers that cross threads cheaply. A posting is one term of
 * one capture; postings stand term by term, within a term in the order of the captures.
 */
export interface AnalyzedGroup {
  captures: AnalyzedCapture[]
  /** Distinct terms in ascending order, joined by line feeds, which no term holds. */
  terms: string
  /** Per term: the end of its postings, which begin where those of the term before end. */
  postingEnds: Uint32Array<ArrayBuffer>
  /** Per posting: index of its capture. */
  captureIndexes: Uint32Array<ArrayBuffer>
  /** Per posting: weighted frequency. */
  frequencies: Uint32Array<ArrayBuffer>
  /** Per posting: bytes of its encoded positions, which follow one another in `positions`. */
  positionLengths: Uint32Array<ArrayBuffer>
  positions: Uint8Array<ArrayBuffer>
}

/** What the analysis of one capture takes, besides what passes through it. */
export interface AnalyzableText {
  url: string
  title: string
  /** The body as plain text. */
  text: string
}

/** Gathers captures into an {@link AnalyzedGroup}. */
export class GroupBuilder {
  readonly #translation = new TermTranslation()
  readonly #ids = new Map<string, number>()
  readonly #terms: string[] = []
  readonly #captures: AnalyzedCapture[] = []
  readonly #termIds = new Uint32List()
  readonly #captureIndexes = new Uint32List()
  readonly #frequencies = new Uint32List()
  readonly #positionLengths = new Uint32List()
  readonly #positions = new ByteWriter(64 * 1024)
  readonly #tokens = new TokenBuffer()
  /** Per term of the group, first and last token of the capture in hand; −1 between captures. */
  #firstToken = new Int32Array(1024).fill(-1)
  #lastToken = new Int32Array(1024)
  /** Per token, the next token of the same term. */
  #nextToken = new Int32Array(1024)

  add(
    capture: Omit<AnalyzedCapture, 'titlePositions' | 'samples' | 'length'>,
    { url, title, text }: AnalyzableText,
  ): void {
    const tokens = this.#tokens
    tokens.count = 0
    const titlePositions = tokenize(title, tokens)
    const titleTokens = tokens.count
    const bodyStart = titlePositions + TITLE_GAP
    tokenize(text, tokens, bodyStart)
    this.#translate(tokens)
    this.#addPostings(titleTokens)
    for (const suffix of hostSuffixes(hostOf(url))) this.#addPosting(this.#idOf(hostTerm(suffix)), 1, 0)
    this.#captures.push({
      ...capture,
      titlePositions,
      samples: sampled(tokens, titleTokens, bodyStart),
      length: tokens.count - titleTokens + titleTokens * rankingModel.titleWeight,
    })
  }

  finish(): AnalyzedGroup {
    const terms = [...this.#terms].sort()
    const ranks = new Uint32Array(terms.length)
    terms.forEach((term, rank) => {
      ranks[this.#ids.get(term) as number] = rank
    })
    const termIds = this.#termIds.values
    const postings = this.#termIds.length
    const next = new Uint32Array(terms.length + 1)
    for (let p = 0; p < postings; p++) next[ranks[termIds[p]] + 1]++
    for (let t = 1; t <= terms.length; t++) next[t] += next[t - 1]
    const order = new Uint32Array(postings)
    for (let p = 0; p < postings; p++) order[next[ranks[termIds[p]]]++] = p
    return {
      captures: this.#captures,
      terms: terms.join('\n'),
      postingEnds: next.slice(0, -1),
      ...this.#inOrder(order),
    }
  }

  /** The postings, which stand capture by capture, in another order. */
  #inOrder(order: Uint32Array): Omit<AnalyzedGroup, 'captures' | 'terms' | 'postingEnds'> {
    const lengths = this.#positionLengths.values
    const starts = new Uint32Array(order.length)
    for (let p = 1; p < order.length; p++) starts[p] = starts[p - 1] + lengths[p - 1]
    const ordered = {
      captureIndexes: new Uint32Array(order.length),
      frequencies: new Uint32Array(order.length),
      positionLengths: new Uint32Array(order.length),
      positions: new Uint8Array(this.#positions.length),
    }
    const { bytes } = this.#positions
    let at = 0
    for (let i = 0; i < order.length; i++) {
      const p = order[i]
      ordered.captureIndexes[i] = this.#captureIndexes.values[p]
      ordered.frequencies[i] = this.#frequencies.values[p]
      ordered.positionLengths[i] = lengths[p]
      for (let byte = starts[p]; byte < starts[p] + lengths[p]; byte++) ordered.positions[at++] = bytes[byte]
    }
    return ordered
  }

  #idOf(term: string): number {
    const known = this.#ids.get(term)
    if (known !== undefined) return known
    const id = this.#terms.length
    this.#ids.set(term, id)
    this.#terms.push(term)
    if (id === this.#firstToken.length) {
      const grown = new Int32Array(id * 2).fill(-1)
      grown.set(this.#firstToken)
      this.#firstToken = grown
      this.#lastToken = enlarged(this.#lastToken, id * 2)
    }
    return id
  }

  /** Turns the term table's ids of the tokens into the group's own. */
  #translate({ ids, terms, count }: TokenBuffer): void {
    const translation = this.#translation
    translation.begin()
    for (let i = 0; i < count; i++) {
      let own = translation.get(ids[i])
      if (own < 0) {
        own = this.#idOf(terms[i])
        translation.set(ids[i], own)
      }
      ids[i] = own
    }
  }

  #addPostings(titleTokens: number): void {
    const { count, ids, positions } = this.#tokens
    if (this.#nextToken.length < count) this.#nextToken = new Int32Array(count * 2)
    const next = this.#nextToken
    const distinct: number[] = []
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      next[i] = -1
      if (this.#firstToken[id] < 0) {
        this.#firstToken[id] = i
        distinct.push(id)
      } else next[this.#lastToken[id]] = i
      this.#lastToken[id] = i
    }
    const out = this.#positions
    for (const id of distinct) {
      const start = out.length
      let frequency = 0
      let previous = 0
      for (let i = this.#firstToken[id]; i >= 0; i = next[i]) {
        out.varint(positions[i] - previous)
        previous = positions[i]
        frequency += i < titleTokens ? rankingModel.titleWeight : 1
      }
      this.#firstToken[id] = -1
      this.#addPosting(id, frequency, out.length - start)
    }
  }

  #addPosting(id: number, frequency: number, positionLength: number): void {
    this.#termIds.push(id)
    this.#captureIndexes.push(this.#captures.length)
    this.#frequencies.push(frequency)
    this.#positionLengths.push(positionLength)
  }
}

let translations = 0
let owners = new Uint32Array(1024)
let translated = new Uint32Array(1024)

/** From ids of the term table to a group's own. All share one table, in which an entry counts for its owner alone. */
class TermTranslation {
  #owner = ++translations
  #generation = termTable.generation

  /** To be called before each text. */
  begin(): void {
    if (this.#generation !== termTable.generation) {
      this.#generation = termTable.generation
      this.#owner = ++translations
    }
    if (owners.length < termTable.terms.length) {
      owners = grown(owners, termTable.terms.length)
      translated = grown(translated, termTable.terms.length)
    }
  }

  /** The group's id, or −1 when it is not known here. */
  get(id: number): number {
    return owners[id] === this.#owner ? translated[id] : -1
  }

  set(id: number, own: number): void {
    owners[id] = this.#owner
    translated[id] = own
  }
}

function grown(array: Uint32Array, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(needed, array.length * 2))
  larger.set(array)
  return larger
}

/** Pairs of position and offset of the first body token at or after every {@link SAMPLE_EVERY}th position. */
function sampled(tokens: TokenBuffer, from: number, bodyStart: number): Uint32Array {
  const samples: number[] = []
  let due = bodyStart
  for (let i = from; i < tokens.count; i++) {
    const position = tokens.positions[i]
    if (position < due) continue
    samples.push(position, tokens.starts[i])
    due = position - ((position - bodyStart) % SAMPLE_EVERY) + SAMPLE_EVERY
  }
  return Uint32Array.from(samples)
}

function enlarged(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length)
  grown.set(array)
  return grown
}
