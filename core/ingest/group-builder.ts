import { termsOfFields } from '../fields/field-terms.ts'
import { typesOfFields } from '../fields/field-values.ts'
import { ANYTHING, nextWordBit, nextWordHash } from '../segment/positions/next-word-signature.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { type Body, encodeBody } from '../store/records/documents.ts'
import { termHash, VECTOR_TERMS, writeTermVector } from '../store/records/term-vector.ts'
import { isFunctionWord } from '../text/languages/function-words.ts'
import { detectLanguage } from '../text/languages/language-detection.ts'
import { type Field, fieldTerm, languageRangesOf, urlText } from '../text/terms/field-term.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { identifierKey } from '../text/terms/identifier.ts'
import { mayAddTerms } from '../text/terms/page-terms.ts'
import { sortTerms } from '../text/terms/term-bytes.ts'
import { termInterner } from '../text/terms/term-interner.ts'
import { type TokenBuffer, tokenize } from '../text/terms/tokens.ts'
import { hostOf, hostSuffixes } from '../url.ts'
import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'
import { LEFT_OUT, returnWorkspace, takeWorkspace, UNKNOWN } from './group-workspace.ts'
import { identifiersOf } from './identifiers.ts'
import { postingsByTerm } from './postings-by-term.ts'
import { enlarged, TermTranslation } from './term-translation.ts'

/** Positions left free between title and body, so that no phrase runs from one into the other. */
export const TITLE_GAP = 10

/** Analyzes captures one by one and inverts them into an {@link AnalyzedGroup}. */
export class GroupBuilder {
  readonly #translation = new TermTranslation()
  readonly #captures: AnalyzedCapture[] = []
  readonly #space = takeWorkspace()

  add(
    capture: Omit<
      AnalyzedCapture,
      'bodyStart' | 'bodyEnd' | 'vectorStart' | 'vectorEnd' | 'length' | 'language' | 'fields'
    >,
    body: Body,
  ): void {
    const { url, title } = capture
    const tokens = this.#space.tokens
    tokens.count = 0
    tokens.runs = 0
    tokens.symbols = 0
    const { author, lang = '', kind = 'other', data = [], fields } = body.details
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
    // Far enough from the text that no phrase runs from it into the identifiers.
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
    if (fields) for (const term of termsOfFields(fields)) this.#addValue(term)
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
      ...(fields && { fields: typesOfFields(fields) }),
    })
  }

  /** Returns the group. To be called once, at the end. */
  finish(): AnalyzedGroup {
    const count = this.#space.termEnds.length
    const { bytes } = this.#space.termBytes
    const order = sortTerms({ count, bytes, ends: this.#space.termEnds.values })
    const ranks = new Uint32Array(count)
    const terms = new Uint8Array(this.#space.termBytes.length)
    const termEnds = new Uint32Array(count)
    let at = 0
    for (let rank = 0; rank < count; rank++) {
      const term = order[rank]!
      ranks[term] = rank
      const end = this.#space.termEnds.values[term]!
      for (let i = term === 0 ? 0 : this.#space.termEnds.values[term - 1]!; i < end; i++) terms[at++] = bytes[i]!
      termEnds[rank] = at
    }
    const group = {
      captures: this.#captures,
      postings: { captures: this.#captures.length, terms, termEnds, ...postingsByTerm(ranks, this.#space) },
      bodies: this.#space.bodies.finish(),
      vectors: this.#space.vectors.finish(),
    }
    returnWorkspace(this.#space)
    return group
  }

  /** Replaces the ids that the tokens have in the term table by the group's own ids. */
  #translate({ ids, count }: TokenBuffer): void {
    const translation = this.#translation
    if (translation.begin()) this.#learnAgain()
    for (let i = 0; i < count; i++) {
      const own = translation.get(ids[i]!)
      ids[i] = own < 0 ? this.#idOf(ids[i]!) : own
    }
  }

  /** Adds a term of the term table that is new to the group, and returns its id in the group. */
  #idOf(tableId: number): number {
    const id = this.#space.termEnds.length
    const { bytes, ends } = termInterner
    const start = termInterner.startOf(tableId)
    const end = ends[tableId]!
    const out = this.#space.termBytes
    out.reserve(end - start)
    for (let i = start; i < end; i++) out.bytes[out.length++] = bytes[i]!
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
      followers.set(this.#space.nextWordHashes)
      this.#space.nextWordHashes = followers
    }
    this.#space.nextWordHashes[id] = nextWordHash(bytes, start, end)
    return id
  }

  /** Restores the translation after the term table was emptied or another group used it. Terms of this group keep their ids. */
  #learnAgain(): void {
    let start = 0
    for (let id = 0; id < this.#space.termEnds.length; id++) {
      const end = this.#space.termEnds.values[id]!
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

  /** Adds the words of a field. They are not part of the text and do not count in its length. */
  #addWords(field: Field, text: string): void {
    const tokens = this.#space.fieldTokens
    tokens.count = 0
    tokenize(text, tokens)
    if (this.#translation.begin()) this.#learnAgain()
    const { count, ids, positions } = tokens
    const out = this.#space.postings
    const encoded = this.#space.fieldPositions
    // Fields have few words, so a nested loop is cheaper than a table.
    for (let i = 0; i < count; i++) {
      if (ids.indexOf(ids[i]!) < i) continue
      encoded.clear()
      let previous = 0
      for (let j = i; j < count; j++) {
        if (ids[j] !== ids[i]) continue
        encoded.varint(positions[j]! - previous)
        previous = positions[j]!
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
   * Adds the postings of title, text and identifiers, and the term vector of title and text.
   *
   * @param count - number of tokens of title and text. The tokens after them are words of identifiers. Each of these makes a
   *   posting if neither title nor text contains it, and none is in the term vector.
   * @param unlisted - per token, 1 if the term vector leaves it out. Default: all are in it.
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
      const id = ids[i]!
      next[i] = -1
      if (first[id]! < 0) {
        first[id] = i
        distinct.push(id)
      } else next[last[id]!] = i
      last[id] = i
    }
    for (let i = count; i < tokens.count; i++) {
      const id = ids[i]!
      if (first[id]! >= 0) continue
      next[i] = -1
      first[id] = i
      distinct.push(id)
    }
    const out = this.#space.postings
    const { hashes, frequencies, nextWordHashes } = this.#space
    let inVector = 0
    for (let d = 0; d < distinct.length; d++) {
      const id = distinct.values[d]!
      let frequency = 0
      let bytes = 1
      let previous = 0
      let followers = 0
      let lastFollower = ANYTHING
      let followerBits = 0
      for (let i = first[id]!; i >= 0; i = next[i]!) {
        const gap = positions[i]! - previous
        previous = positions[i]!
        let behind = i + 1
        while (behind < count && positions[behind] === previous) behind++
        for (; behind < count && positions[behind] === previous + 1; behind++) {
          lastFollower = nextWordHashes[ids[behind]!]!
          followerBits |= nextWordBit(lastFollower)
          followers++
        }
        bytes += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : gap < 0x10000000 ? 4 : 5
        frequency += i < titleTokens ? rankingModel.titleWeight : 1
      }
      out.varint(frequency - 1)
      out.varint(bytes)
      const isListed = first[id]! < count && (unlisted === undefined || unlisted[first[id]!] === 0)
      if (isListed && inVector < VECTOR_TERMS && this.#vectorHash(id) !== LEFT_OUT) {
        hashes[inVector] = this.#vectorHash(id)
        frequencies[inVector++] = Math.min(255, frequency)
      }
      if (frequency > 1) out.u8(followerBits)
      else out.u8(followers === 1 ? lastFollower : ANYTHING)
      previous = 0
      for (let i = first[id]!; i >= 0; i = next[i]!) {
        out.varint(positions[i]! - previous)
        previous = positions[i]!
      }
      first[id] = -1
      this.#endPosting(id)
    }
    const vector = { hashes: hashes.subarray(0, inVector), frequencies: frequencies.subarray(0, inVector) }
    writeTermVector(vector, this.#space.vectors)
  }

  /** The hash of a term in a term vector, or {@link LEFT_OUT} if term vectors do not contain the term. */
  #vectorHash(id: number): number {
    const known = this.#space.vectorHashes[id]!
    if (known !== UNKNOWN) return known
    const { bytes } = this.#space.termBytes
    const start = id === 0 ? 0 : this.#space.termEnds.values[id - 1]!
    const end = this.#space.termEnds.values[id]!
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

/** Function words and single letters do not indicate what a page is about. */
function isVectorTerm(term: string): boolean {
  return term.length > 1 && !isFunctionWord(term)
}
