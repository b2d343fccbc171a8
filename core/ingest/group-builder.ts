import { termsOfFields, wordsPrefix } from '../fields/field-terms.ts'
import { type StoredFields, textsOfFields, writeFields } from '../fields/field-values.ts'
import { pageAnalyzerFor } from '../kernels/analyzer.ts'
import { groupSorter } from '../kernels/group-sorter.ts'
import type { PageAnalyzer, PagePostings } from '../kernels/plain-analyzer.ts'
import { ANYTHING } from '../segment/positions/next-word-signature.ts'
import { placeOf, TITLE_GAP } from '../segment/positions/place.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { type Body, encodeBody } from '../store/records/documents.ts'
import { detectLanguage } from '../text/languages/language-detection.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { identifierKey } from '../text/terms/identifier.ts'
import { mayAddTerms } from '../text/terms/page-terms.ts'
import { languageRangesOf, propertyTerm, type TextProperty, urlText } from '../text/terms/property-term.ts'
import { termInterner } from '../text/terms/term-interner.ts'
import { type TokenBuffer, tokenize } from '../text/terms/tokens.ts'
import { hostOf, hostSuffixes } from '../url.ts'
import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'
import { returnWorkspace, takeWorkspace } from './group-workspace.ts'
import { identifiersOf } from './identifiers.ts'
import { postingsByTerm } from './postings-by-term.ts'
import { idOfProperty } from './property-ids.ts'
import { TermTranslation } from './term-translation.ts'

/** Analyzes captures one by one and inverts them into an {@link AnalyzedGroup}. */
export class GroupBuilder {
  readonly #translation = new TermTranslation()
  readonly #captures: AnalyzedCapture[] = []
  readonly #space = takeWorkspace()

  add(
    capture: Omit<
      AnalyzedCapture,
      'bodyStart' | 'bodyEnd' | 'vectorStart' | 'vectorEnd' | 'length' | 'language' | 'values'
    >,
    body: Body,
  ): void {
    const { url, title } = capture
    const { author, lang = '', kind = 'other', data = [], fields } = body.details
    const identifiers = identifiersOf(data)
    const identifierText = identifiers.join('\n')
    const pageAnalyzer = pageAnalyzerFor(title.length + body.text.length + identifierText.length)
    const { tokens } = pageAnalyzer
    tokens.clear()
    const titlePositions = pageAnalyzer.tokenize(title, 0)
    const titleTokens = tokens.count
    const titleWords = titleTokens - tokens.symbols
    const textPositions = pageAnalyzer.tokenize(body.text, titlePositions + TITLE_GAP)
    const textTokens = tokens.count
    const words = textTokens - tokens.symbols
    const length = words - titleWords + titleWords * rankingModel.titleWeight
    const language = detectLanguage(title, body.text, lang)
    const vectorStart = this.#space.vectors.length
    // Identifiers start after a gap, so that no phrase matches across it.
    pageAnalyzer.tokenize(identifierText, textPositions + TITLE_GAP)
    if (mayAddTerms(tokens, language)) {
      const { pageTerms } = this.#space
      pageTerms.clear()
      pageTerms.extend(title, tokens, 0, titleTokens, language)
      const titleTerms = pageTerms.count
      pageTerms.extend(body.text, tokens, titleTokens, textTokens, language)
      const textTerms = pageTerms.count
      pageTerms.extend(identifierText, tokens, textTokens, tokens.count, language)
      const parts = { title: titleTerms, text: textTerms, unlisted: pageTerms.unlisted }
      this.#addPostings(pageAnalyzer.invert(pageTerms, parts))
    } else this.#addPostings(pageAnalyzer.invert(tokens, { title: titleTokens, text: textTokens }))
    for (const suffix of hostSuffixes(hostOf(url))) this.#addValue(hostTerm(suffix))
    for (const key of new Set(identifiers.map(identifierKey))) this.#addValue(propertyTerm('id', key))
    for (const range of languageRangesOf(lang, language)) this.#addValue(propertyTerm('lang', range))
    this.#addValue(propertyTerm('type', kind))
    if (fields) this.#addFields(fields, language)
    this.#addWords(pageAnalyzer, 'url', urlText(url))
    if (author !== undefined) this.#addWords(pageAnalyzer, 'author', author)
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
      values: writeFields(fields),
    })
  }

  /** Returns the finished group. May be called only once. */
  finish(): AnalyzedGroup {
    const unordered = this.#space.unorderedPostings()
    const ordered = groupSorter()?.sort(unordered) ?? postingsByTerm(unordered)
    const group = {
      captures: this.#captures,
      postings: { captures: this.#captures.length, ...ordered },
      bodies: this.#space.bodies.finish(),
      vectors: this.#space.vectors.finish(),
    }
    returnWorkspace(this.#space)
    return group
  }

  /** Adds the postings and the term vector of a page. */
  #addPostings({ count, terms, ends, bytes, vector }: PagePostings): void {
    if (this.#translation.begin()) this.#learnAgain()
    const { postings, vectors, termIds, captureIndexes, ends: postingEnds } = this.#space
    const start = postings.length
    const capture = this.#captures.length
    for (let i = 0; i < count; i++) {
      termIds.push(this.#ownIdOf(terms[i]!))
      captureIndexes.push(capture)
      postingEnds.push(start + ends[i]!)
    }
    postings.raw(bytes)
    vectors.raw(vector)
  }

  /** Returns the id that a term of the term table has in this group. Adds the term to the group if it is new. */
  #ownIdOf(tableId: number): number {
    const own = this.#translation.get(tableId)
    return own < 0 ? this.#idOf(tableId) : own
  }

  /** Adds a term of the term table to the group and returns its new id. */
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
    return id
  }

  /**
   * Enters the group's terms into the translation again, after the term table was emptied or another group used the
   * translation. Terms keep their ids.
   */
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
    this.#endPosting(this.#ownIdOf(termInterner.idOfTerm(term)))
  }

  /** Adds the values of fields, and the words of their texts. The words do not count in the length of the page. */
  #addFields(fields: StoredFields, language: string): void {
    for (const term of termsOfFields(fields)) this.#addValue(term)
    const { fieldTokens, pageTerms } = this.#space
    for (const { name, texts } of textsOfFields(fields)) {
      fieldTokens.clear()
      pageTerms.clear()
      let position = 0
      for (const text of texts) {
        const from = fieldTokens.count
        position = tokenize(text, fieldTokens, position) + TITLE_GAP
        pageTerms.extend(text, fieldTokens, from, fieldTokens.count, language)
      }
      this.#addText(wordsPrefix(name), pageTerms)
    }
  }

  /** Adds the words of a text as terms with a prefix, with their frequencies and positions. */
  #addText(prefix: string, tokens: TokenBuffer): void {
    if (this.#translation.begin()) this.#learnAgain()
    const { count, ids, positions, endings } = tokens
    const encoded = this.#space.fieldPositions
    const tokensOf = new Map<number, number[]>()
    for (let i = 0; i < count; i++) {
      const same = tokensOf.get(ids[i]!)
      if (same) same.push(i)
      else tokensOf.set(ids[i]!, [i])
    }
    for (const same of tokensOf.values()) {
      encoded.clear()
      let previous = 0
      for (const i of same) {
        const place = placeOf(positions[i]!, endings[i]!)
        encoded.varint(place - previous)
        previous = place
      }
      this.#addEncoded(termInterner.idOfTerm(prefix + tokens.term(same[0]!)), same.length)
    }
  }

  /** Adds the words of a property. They count neither in the length of the page nor by their frequency. */
  #addWords(analyzer: PageAnalyzer, field: TextProperty, text: string): void {
    const { tokens } = analyzer
    tokens.clear()
    analyzer.tokenize(text, 0)
    if (this.#translation.begin()) this.#learnAgain()
    const { count, ids, positions, endings } = tokens
    const encoded = this.#space.fieldPositions
    // Fields have few words, so searching the list for duplicates is cheaper than a set.
    for (let i = 0; i < count; i++) {
      if (ids.indexOf(ids[i]!) < i) continue
      encoded.clear()
      let previous = 0
      for (let j = i; j < count; j++) {
        if (ids[j] !== ids[i]) continue
        const place = placeOf(positions[j]!, endings[j]!)
        encoded.varint(place - previous)
        previous = place
      }
      this.#addEncoded(idOfProperty(field, ids[i]!), 1)
    }
  }

  /** Adds the posting of a term with the positions that were encoded last. */
  #addEncoded(term: number, frequency: number): void {
    const { postings, fieldPositions } = this.#space
    postings.varint(frequency - 1)
    postings.varint(fieldPositions.length + 1)
    postings.u8(ANYTHING)
    for (let i = 0; i < fieldPositions.length; i++) postings.u8(fieldPositions.bytes[i]!)
    this.#endPosting(this.#ownIdOf(term))
  }

  #endPosting(id: number): void {
    this.#space.termIds.push(id)
    this.#space.captureIndexes.push(this.#captures.length)
    this.#space.ends.push(this.#space.postings.length)
  }
}
