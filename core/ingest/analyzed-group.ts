import { ByteWriter } from '../bytes/byte-buffer.ts'
import { ANYTHING, followerBit, followerHash } from '../segment/positions/next-word-signature.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { type Body, encodeBody } from '../store/records/documents.ts'
import { termHash, VECTOR_TERMS, writeTermVector } from '../store/records/term-vector.ts'
import { isFunctionWord } from '../text/languages/function-words.ts'
import { detectLanguage } from '../text/languages/language-detection.ts'
import { type Field, fieldTerm, languageRangesOf, urlText } from '../text/terms/field-term.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { identifierKey } from '../text/terms/identifier.ts'
import { mayAddTerms, PageTerms } from '../text/terms/page-terms.ts'
import { sortedTerms } from '../text/terms/term-bytes.ts'
import { termInterner } from '../text/terms/term-interner.ts'
import { TokenBuffer, tokenize } from '../text/terms/tokens.ts'
import { hostOf, hostSuffixes } from '../url.ts'
import { identifiersOf } from './identifiers.ts'
import { Uint32List } from './uint32-list.ts'

/** Positions left free between title and body, so that no phrase runs from one into the other. */
export const TITLE_GAP = 10

/** What the history of its URL needs of one capture after extraction and analysis; the rest is in its group. */
export interface AnalyzedCapture {
  url: string
  aliases: string[]
  title: string
  /** Where the encoded body lies among those of its group. */
  bodyStart: number
  bodyEnd: number
  /** Where the term vector lies among those of its group. */
  vectorStart: number
  vectorEnd: number
  publishedAt?: number
  acquiredAt?: number
  /** 64 bits of the SHA-256 of title, text and identifiers, in hex: equal for the same content. */
  fingerprint: string
  /** Equal for the same metadata, see `metadataFingerprint`. */
  metadata: string
  /** Weighted length. */
  length: number
  /** The language it was analysed in, as `detectLanguage` tells it. */
  language: string
}

/**
 * The postings of captures analysed together, inverted, in few flat buffers that cross threads without a copy. A posting
 * is one term of one capture; postings stand term by term, within a term in the order of the captures.
 */
export interface GroupPostings {
  /** Number of captures. */
  captures: number
  /** UTF-8 bytes of the distinct terms, in ascending order, one after another. */
  terms: Uint8Array<ArrayBuffer>
  /** Per term: the end of its bytes, which begin where those of the term before end. */
  termEnds: Uint32Array<ArrayBuffer>
  /**
   * Per posting: varint captures between its own and that of the term's posting before (or the group's beginning),
   * varint weighted frequency − 1, varint bytes of positions, and these, the follower signature first.
   */
  postings: Uint8Array<ArrayBuffer>
  /** Per term: the end of its postings in bytes. */
  postingEnds: Uint32Array<ArrayBuffer>
}

/** Several captures analysed together. */
export interface AnalyzedGroup {
  captures: AnalyzedCapture[]
  postings: GroupPostings
  /** The bodies as they are stored, one after another. */
  bodies: Uint8Array<ArrayBuffer>
  /** The term vectors as they are stored, one after another. */
  vectors: Uint8Array<ArrayBuffer>
}

/** The buffers of a group's postings. */
export function buffersOf({ terms, termEnds, postings, postingEnds }: GroupPostings): ArrayBuffer[] {
  return [terms.buffer, termEnds.buffer, postings.buffer, postingEnds.buffer]
}

/** In place of the hash of a term: nobody asked for it yet, or no vector has the term. */
const UNKNOWN = -1
const LEFT_OUT = -2

/**
 * Buffers that a group is gathered in. They are used again for the next group of the thread: to grow new ones for each
 * would cost more time and memory than what they hold.
 */
class Workspace {
  readonly termBytes = new ByteWriter(64 * 1024)
  readonly termEnds = new Uint32List()
  /** Per posting, capture by capture: its term, its capture, and the end of its bytes. */
  readonly termIds = new Uint32List()
  readonly captureIndexes = new Uint32List()
  readonly ends = new Uint32List()
  /** Per posting: varint frequency − 1, varint bytes of positions, and these, the follower signature first. */
  readonly postings = new ByteWriter(256 * 1024)
  readonly bodies = new ByteWriter(256 * 1024)
  readonly vectors = new ByteWriter(64 * 1024)
  /** Per term of the group its hash in a term vector; {@link UNKNOWN} before it was asked for. */
  vectorHashes = new Int32Array(1024).fill(UNKNOWN)
  /** Per term of the group its hash in the signature of one before it. */
  followerHashes = new Uint8Array(1024)
  /** The term vector of the capture in hand. */
  readonly hashes = new Uint16Array(VECTOR_TERMS)
  readonly frequencies = new Uint8Array(VECTOR_TERMS)
  readonly tokens = new TokenBuffer()
  /** The tokens and the terms that the language adds, for a page that has such. */
  readonly pageTerms = new PageTerms()
  /** Of a field, with the positions of one of its words as they are stored. */
  readonly fieldTokens = new TokenBuffer()
  readonly fieldPositions = new ByteWriter(64)
  /** Per term of the group, first and last token of the capture in hand, first −1 between captures. */
  firstToken = new Int32Array(1024).fill(-1)
  lastToken = new Int32Array(1024)
  /** Per token, the next token of the same term. */
  nextToken = new Int32Array(1024)
  /** Terms of the capture in hand. */
  readonly distinct = new Uint32List()

  get bytes(): number {
    const tokens = this.tokens.positions.length + this.pageTerms.positions.length
    const words = 3 * this.termIds.values.length + 4 * tokens + this.nextToken.length
    return (
      this.vectors.bytes.length +
      this.bodies.bytes.length +
      this.postings.bytes.length +
      4 * (words + 3 * this.firstToken.length)
    )
  }

  clear(): void {
    this.termBytes.clear()
    this.postings.clear()
    this.bodies.clear()
    this.vectors.clear()
    this.vectorHashes.fill(UNKNOWN)
    for (const list of [this.termEnds, this.termIds, this.captureIndexes, this.ends]) list.length = 0
  }
}

/** One that grew beyond this for the sake of some huge page is not kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

let spare: Workspace | undefined

/** Gathers captures into an {@link AnalyzedGroup}. */
export class GroupBuilder {
  readonly #translation = new TermTranslation()
  readonly #captures: AnalyzedCapture[] = []
  readonly #space: Workspace = spare ?? new Workspace()

  constructor() {
    spare = undefined
  }

  add(
    capture: Omit<AnalyzedCapture, 'bodyStart' | 'bodyEnd' | 'vectorStart' | 'vectorEnd' | 'length' | 'language'>,
    body: Body,
  ): void {
    const { url, title } = capture
    const tokens = this.#space.tokens
    tokens.count = 0
    tokens.runs = 0
    tokens.symbols = 0
    const { author, lang = '', kind = 'other', data = [] } = body.details
    const titlePositions = tokenize(title, tokens)
    const titleTokens = tokens.count
    const titleWords = titleTokens - tokens.symbols
    const textPositions = tokenize(body.text, tokens, titlePositions + TITLE_GAP)
    const textTokens = tokens.count
    const words = textTokens - tokens.symbols
    const length = words - titleWords + titleWords * rankingModel.titleWeight
    const language = detectLanguage(title, body.text, lang)
    const vectorStart = this.#space.vectors.length
    const identifiers = identifiersOf(data)
    // Never within reach of a phrase that begins in the text.
    const identifierText = identifiers.join('\n')
    tokenize(identifierText, tokens, textPositions + TITLE_GAP)
    if (mayAddTerms(tokens, language)) {
      const { pageTerms } = this.#space
      pageTerms.count = 0
      pageTerms.extend(title, tokens, 0, titleTokens, language)
      const titleTerms = pageTerms.count
      pageTerms.extend(body.text, tokens, titleTokens, textTokens, language)
      const textTerms = pageTerms.count
      pageTerms.extend(identifierText, tokens, textTokens, tokens.count, language)
      this.#translate(pageTerms)
      this.#addPostings(pageTerms, titleTerms, textTerms, pageTerms.unlisted)
    } else {
      this.#translate(tokens)
      this.#addPostings(tokens, titleTokens, textTokens)
    }
    for (const suffix of hostSuffixes(hostOf(url))) this.#addValue(hostTerm(suffix))
    for (const key of new Set(identifiers.map(identifierKey))) this.#addValue(fieldTerm('id', key))
    for (const range of languageRangesOf(lang, language)) this.#addValue(fieldTerm('lang', range))
    this.#addValue(fieldTerm('type', kind))
    this.#addWords('url', urlText(url))
    if (author !== undefined) this.#addWords('author', author)
    const bodyStart = this.#space.bodies.length
    encodeBody(body, this.#space.bodies)
    this.#captures.push({
      ...capture,
      bodyStart,
      bodyEnd: this.#space.bodies.length,
      vectorStart,
      vectorEnd: this.#space.vectors.length,
      length,
      language,
    })
  }

  /** To be called once, at the end. */
  finish(): AnalyzedGroup {
    const count = this.#space.termEnds.length
    const { bytes } = this.#space.termBytes
    const order = sortedTerms({ count, bytes, ends: this.#space.termEnds.values })
    const ranks = new Uint32Array(count)
    const terms = new Uint8Array(this.#space.termBytes.length)
    const termEnds = new Uint32Array(count)
    let at = 0
    for (let rank = 0; rank < count; rank++) {
      const term = order[rank]
      ranks[term] = rank
      const end = this.#space.termEnds.values[term]
      for (let i = term === 0 ? 0 : this.#space.termEnds.values[term - 1]; i < end; i++) terms[at++] = bytes[i]
      termEnds[rank] = at
    }
    const group = {
      captures: this.#captures,
      postings: { captures: this.#captures.length, terms, termEnds, ...this.#postingsBy(ranks) },
      bodies: this.#space.bodies.finish(),
      vectors: this.#space.vectors.finish(),
    }
    if (this.#space.bytes <= MAX_KEPT_BYTES) {
      this.#space.clear()
      spare = this.#space
    }
    return group
  }

  /** The postings, which stand capture by capture, by the rank of their terms. */
  #postingsBy(ranks: Uint32Array): Pick<GroupPostings, 'postings' | 'postingEnds'> {
    const termIds = this.#space.termIds.values
    const ends = this.#space.ends.values
    const count = this.#space.termIds.length
    const next = new Uint32Array(ranks.length + 1)
    for (let p = 0; p < count; p++) next[ranks[termIds[p]] + 1]++
    for (let t = 1; t <= ranks.length; t++) next[t] += next[t - 1]
    const order = new Uint32Array(count)
    for (let p = 0; p < count; p++) order[next[ranks[termIds[p]]]++] = p
    const source = this.#space.postings.bytes
    // Each is preceded by a varint of its capture, which is below 2^28.
    const postings = new Uint8Array(this.#space.postings.length + 4 * count)
    const postingEnds = new Uint32Array(ranks.length)
    let at = 0
    let i = 0
    for (let t = 0; t < ranks.length; t++) {
      let previous = -1
      // The counting sort has moved each start to the end.
      for (; i < next[t]; i++) {
        const p = order[i]
        const index = this.#space.captureIndexes.values[p]
        let gap = index - previous - 1
        previous = index
        for (; gap > 127; gap >>>= 7) postings[at++] = (gap & 127) | 128
        postings[at++] = gap
        const end = ends[p]
        for (let from = p === 0 ? 0 : ends[p - 1]; from < end; from++) postings[at++] = source[from]
      }
      postingEnds[t] = at
    }
    return { postings: postings.slice(0, at), postingEnds }
  }

  /** Turns the term table's ids of the tokens into the group's own. */
  #translate({ ids, count }: TokenBuffer): void {
    const translation = this.#translation
    if (translation.begin()) this.#learnAgain()
    for (let i = 0; i < count; i++) {
      const own = translation.get(ids[i])
      ids[i] = own < 0 ? this.#idOf(ids[i]) : own
    }
  }

  /** The group's own id of a term of the table that it has not met yet. */
  #idOf(tableId: number): number {
    const id = this.#space.termEnds.length
    const { bytes, ends } = termInterner
    const start = termInterner.startOf(tableId)
    const end = ends[tableId]
    const out = this.#space.termBytes
    out.reserve(end - start)
    for (let i = start; i < end; i++) out.bytes[out.length++] = bytes[i]
    this.#space.termEnds.push(out.length)
    this.#translation.set(tableId, id)
    if (id === this.#space.firstToken.length) {
      const grown = new Int32Array(id * 2).fill(-1)
      grown.set(this.#space.firstToken)
      this.#space.firstToken = grown
      this.#space.lastToken = enlarged(this.#space.lastToken, id * 2)
      const hashes = new Int32Array(id * 2).fill(UNKNOWN)
      hashes.set(this.#space.vectorHashes)
      this.#space.vectorHashes = hashes
      const followers = new Uint8Array(id * 2)
      followers.set(this.#space.followerHashes)
      this.#space.followerHashes = followers
    }
    this.#space.followerHashes[id] = followerHash(bytes, start, end)
    return id
  }

  /** After the table has started anew, or another group was worked on: each term of this one keeps its id. */
  #learnAgain(): void {
    let start = 0
    for (let id = 0; id < this.#space.termEnds.length; id++) {
      const end = this.#space.termEnds.values[id]
      const term = Buffer.from(this.#space.termBytes.bytes.subarray(start, end)).toString()
      this.#translation.set(termInterner.idOfTerm(term), id)
      start = end
    }
  }

  #addValue(term: string): void {
    this.#space.postings.varint(0)
    this.#space.postings.varint(0)
    this.#endPosting(this.#ownIdOf(term))
  }

  /** Adds the words of a field. They are none of the text: they don't count in its length. */
  #addWords(field: Field, text: string): void {
    const tokens = this.#space.fieldTokens
    tokens.count = 0
    tokenize(text, tokens)
    if (this.#translation.begin()) this.#learnAgain()
    const { count, ids, positions } = tokens
    const out = this.#space.postings
    const encoded = this.#space.fieldPositions
    // Fields have few words, and little is as cheap as to go through them again.
    for (let i = 0; i < count; i++) {
      if (ids.indexOf(ids[i]) < i) continue
      encoded.clear()
      let previous = 0
      for (let j = i; j < count; j++) {
        if (ids[j] !== ids[i]) continue
        encoded.varint(positions[j] - previous)
        previous = positions[j]
      }
      out.varint(0)
      out.varint(encoded.length + 1)
      out.u8(ANYTHING)
      out.raw(encoded.bytes.subarray(0, encoded.length))
      this.#endPosting(this.#ownIdOf(fieldTerm(field, tokens.term(i))))
    }
  }

  #ownIdOf(term: string): number {
    const tableId = termInterner.idOfTerm(term)
    const own = this.#translation.get(tableId)
    return own < 0 ? this.#idOf(tableId) : own
  }

  /**
   * @param count - tokens of title and text. Those behind them are words of identifiers: each makes a posting if neither
   *   title nor text has it, and is in no term vector, so that a page is found by them and by nothing else.
   * @param unlisted - per token whether the term vector leaves it out. Default: none is.
   */
  #addPostings(tokens: TokenBuffer, titleTokens: number, count: number, unlisted?: Uint8Array): void {
    const { ids, positions } = tokens
    if (this.#space.nextToken.length < tokens.count) this.#space.nextToken = new Int32Array(tokens.count * 2)
    const next = this.#space.nextToken
    const first = this.#space.firstToken
    const last = this.#space.lastToken
    const distinct = this.#space.distinct
    distinct.length = 0
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      next[i] = -1
      if (first[id] < 0) {
        first[id] = i
        distinct.push(id)
      } else next[last[id]] = i
      last[id] = i
    }
    for (let i = count; i < tokens.count; i++) {
      const id = ids[i]
      if (first[id] >= 0) continue
      next[i] = -1
      first[id] = i
      distinct.push(id)
    }
    const out = this.#space.postings
    const { hashes, frequencies, followerHashes } = this.#space
    let inVector = 0
    for (let d = 0; d < distinct.length; d++) {
      const id = distinct.values[d]
      let frequency = 0
      let bytes = 1
      let previous = 0
      let followers = 0
      let lastFollower = ANYTHING
      let followerBits = 0
      for (let i = first[id]; i >= 0; i = next[i]) {
        const gap = positions[i] - previous
        previous = positions[i]
        let behind = i + 1
        while (behind < count && positions[behind] === previous) behind++
        for (; behind < count && positions[behind] === previous + 1; behind++) {
          lastFollower = followerHashes[ids[behind]]
          followerBits |= followerBit(lastFollower)
          followers++
        }
        bytes += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : gap < 0x10000000 ? 4 : 5
        frequency += i < titleTokens ? rankingModel.titleWeight : 1
      }
      out.varint(frequency - 1)
      out.varint(bytes)
      const isListed = first[id] < count && (unlisted === undefined || unlisted[first[id]] === 0)
      if (isListed && inVector < VECTOR_TERMS && this.#vectorHash(id) !== LEFT_OUT) {
        hashes[inVector] = this.#vectorHash(id)
        frequencies[inVector++] = Math.min(255, frequency)
      }
      if (frequency > 1) out.u8(followerBits)
      else out.u8(followers === 1 ? lastFollower : ANYTHING)
      previous = 0
      for (let i = first[id]; i >= 0; i = next[i]) {
        out.varint(positions[i] - previous)
        previous = positions[i]
      }
      first[id] = -1
      this.#endPosting(id)
    }
    const vector = { hashes: hashes.subarray(0, inVector), frequencies: frequencies.subarray(0, inVector) }
    writeTermVector(vector, this.#space.vectors)
  }

  /** The hash of a term in a term vector, {@link LEFT_OUT} when it has none. */
  #vectorHash(id: number): number {
    const known = this.#space.vectorHashes[id]
    if (known !== UNKNOWN) return known
    const { bytes } = this.#space.termBytes
    const start = id === 0 ? 0 : this.#space.termEnds.values[id - 1]
    const end = this.#space.termEnds.values[id]
    const term = Buffer.from(bytes.buffer, start, end - start).toString()
    const hash = isVectorTerm(term) ? termHash(bytes, start, end) : LEFT_OUT
    this.#space.vectorHashes[id] = hash
    return hash
  }

  #endPosting(id: number): void {
    this.#space.termIds.push(id)
    this.#space.captureIndexes.push(this.#captures.length)
    this.#space.ends.push(this.#space.postings.length)
  }
}

/** Function words and single letters tell nothing of what a page is about. */
function isVectorTerm(term: string): boolean {
  return term.length > 1 && !isFunctionWord(term)
}

let owners = 0
/** Per term of the table: the owner that last had an id for it, and that id. */
let entries = new Int32Array(2048)

/** From ids of the term table to a group's own. One group at a time has them. */
class TermTranslation {
  #owner = 0
  #generation = -1

  /** To be called before each text. True when nothing is known of the terms met before. */
  begin(): boolean {
    this.#makeRoom()
    if (this.#owner === owners && this.#generation === termInterner.generation) return false
    this.#generation = termInterner.generation
    this.#owner = ++owners
    return true
  }

  /** The group's id, or −1 when it is not known here. */
  get(id: number): number {
    return entries[2 * id] === this.#owner ? entries[2 * id + 1] : -1
  }

  set(id: number, own: number): void {
    if (2 * id >= entries.length) this.#makeRoom()
    entries[2 * id] = this.#owner
    entries[2 * id + 1] = own
  }

  #makeRoom(): void {
    const needed = 2 * termInterner.count
    if (entries.length < needed) entries = enlarged(entries, Math.max(needed, entries.length * 2))
  }
}

function enlarged(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length)
  grown.set(array)
  return grown
}
