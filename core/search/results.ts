import { clip } from '@asof/extract/characters'
import { wordOfTerm } from '../fields/field-terms.ts'
import { parseFields, shownFields, textsOfFields } from '../fields/field-values.ts'
import type { CurrentCapture } from '../history/current-capture.ts'
import type { Hit } from '../kernels/top-hits.ts'
import { CapturePlaces } from '../postings/capture-places.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { TITLE_GAP } from '../segment/positions/place.ts'
import type { Segment } from '../segment/segment.ts'
import type { IndexedWords } from '../snippet/indexed-text.ts'
import { type MatchedPlaces, matchedPlaces } from '../snippet/matched-places.ts'
import type { ScannedPhrases } from '../snippet/phrase-matches.ts'
import type { Snippet } from '../snippet/snippet.ts'
import { highlightsOf, makeSnippet, type SnippetQuery, type SnippetSource } from '../snippet/snippet.ts'
import type { Body, DocumentRecord } from '../store/records/documents.ts'
import type { PageReader } from '../store/records/page-reader.ts'
import { readBodyBeginning, readRevision } from '../store/records/stored-page.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { isFunctionWord } from '../text/languages/function-words.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { WordOffsets } from '../text/terms/word-offsets.ts'
import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import type { AnalyzedWebql } from './analysis/analyze-webql.ts'
import { type RequiredPhrases, requiredPhrases } from './conditions/required-phrases.ts'
import { toScannedPattern } from './conditions/term-pattern.ts'
import type { FavoredPhrase, Phrase } from './query/scoring-terms.ts'
import type { SearchResult } from './search-answer.ts'

/** The data that results are made from, in addition to the hits. */
export interface ResultSource {
  /** The query that was searched for. */
  query: AnalyzedQuery | AnalyzedWebql
  /** The weight of each term of the query. */
  weights: readonly number[]
  pages: PageReader
  store: StoredValues
  /** Epoch ms. */
  instant: number
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** 0 for results without a snippet. */
  snippetMaxLength: number
  /** 0 for results without content. */
  contentMaxLength: number
  /** True if results have their author, and when they were last seen. */
  details: boolean
  /** False for results whose titles have no highlights. */
  titleHighlights: boolean
  /** True for results that say where the words of the query are in their pages. */
  matchedPlaces: boolean
  /** True if the request named a language: then each result has its language. */
  namesLanguage: boolean
  /** True if the answer is explained: then results say where their publish date was found. */
  explains: boolean
}

/** A result of a search with {@link ResultSource.matchedPlaces}. */
export interface PlacedResult extends SearchResult {
  places: MatchedPlaces
  captureId: number
}

/** True for a result that says where the words of the query are in its page. */
export function isPlaced(result: SearchResult): result is PlacedResult {
  return 'places' in result
}

/** Reads the captures of hits and makes the results of an answer. */
export function makeResults(hits: readonly Hit[], source: ResultSource): SearchResult[] {
  const { snippetMaxLength, titleHighlights, matchedPlaces: hasPlaces } = source
  if (snippetMaxLength === 0 && !titleHighlights && !hasPlaces)
    return hits.map(hit => makeResult(hit, { titleHighlightsOf: noHighlights, snippetOf: makeNoSnippet }, source))
  const shown = shownQuery(source)
  const makers: ResultMakers = {
    titleHighlightsOf: titleHighlights ? (title, language) => highlightsOf(title, shown, language) : noHighlights,
    snippetOf: snippetMaxLength === 0 ? makeNoSnippet : snippetMaker(shown, source),
    placesOf: hasPlaces ? placesReader(shown, source) : undefined,
  }
  return hits.map(hit => makeResult(hit, makers, source))
}

/** What makes the parts of a result that depend on the query. */
interface ResultMakers {
  /** Returns the highlights of a title. */
  titleHighlightsOf: (title: string, language: string) => SearchResult['titleHighlights']
  snippetOf: (hit: Hit) => Snippet
  /** Returns where the words of the query are, and in which version of the page. Undefined if results do not say it. */
  placesOf?: ((hit: Hit) => Pick<PlacedResult, 'places' | 'captureId'>) | undefined
}

function makeResult(
  hit: Hit,
  { titleHighlightsOf, snippetOf, placesOf }: ResultMakers,
  source: ResultSource,
): SearchResult {
  const { pages, instant, namesLanguage } = source
  const { columns } = hit.segment
  const captureId = columns.captureIds[hit.ordinal]!
  const document = pages.document(captureId)
  const publishedAt = hit.segment.publishedAt(hit.ordinal, instant)
  const values = valuesOf(hit, document, instant)
  const result: SearchResult = {
    url: document.url,
    title: document.title,
    titleHighlights: titleHighlightsOf(document.title, document.language),
    score: hit.score,
    snippet: snippetOf(hit),
    acquiredAt: columns.acquiredAt[hit.ordinal]!,
  }
  // Assigned, because spreading three optional parts copies the result three times.
  if (!Number.isNaN(publishedAt)) result.publishedAt = publishedAt
  addFromBody(result, captureId, source)
  if (values !== '') result.fields = shownFields(parseFields(values))
  if (namesLanguage && document.language !== '') result.language = document.language
  if (placesOf) return { ...result, ...placesOf(hit) }
  return result
}

/**
 * Returns the metadata and the Markdown of a capture as of the instant of the answer: those of its revision valid then, or its own if it has none.
 *
 * @param markdownUnits - maximum length of the Markdown, UTF-16 units.
 */
function bodyAt(
  url: string,
  captureId: number,
  { store, currentOf }: Pick<ResultSource, 'store' | 'currentOf'>,
  markdownUnits = 0,
): Pick<Body, 'details' | 'markdown'> {
  const current = currentOf(url)
  const revision = current?.captureId === captureId ? current.revision : undefined
  const { details, form } = revision ? readRevision(store, revision.id) : {}
  if (details && (form || markdownUnits === 0)) return { details, markdown: clip(form?.markdown ?? '', markdownUnits) }
  const own = readBodyBeginning(store, captureId, markdownUnits)
  return { details: details ?? own.details, markdown: clip(own.markdown, markdownUnits) }
}

/** Adds the parts of a result for which its body is read: where its publish date was found, its content and its details. */
function addFromBody(result: SearchResult, captureId: number, source: ResultSource): void {
  const { contentMaxLength } = source
  const explainsDate = source.explains && result.publishedAt !== undefined
  if (!explainsDate && contentMaxLength === 0 && !source.details) return
  checkSearchTime()
  const { details, markdown } = bodyAt(result.url, captureId, source, contentMaxLength)
  if (explainsDate) result.publishedFrom = details.publishedFrom
  if (contentMaxLength > 0) result.content = markdown
  if (!source.details) return
  if (details.author !== undefined) result.author = details.author
  const current = source.currentOf(result.url)
  if (current?.captureId === captureId) result.lastSeenAt = current.lastSeenAt
}

/** Returns the fields of a result as of the instant, in the form that `writeFields` wrote. */
function valuesOf({ segment: { revisions }, ordinal }: Hit, { values }: DocumentRecord, instant: number): string {
  const row = revisions ? revisions.rowAt(ordinal, instant) : -1
  return revisions && row >= 0 ? revisions.metadata(row).values : values
}

/**
 * Returns the phrases that results must contain. Undefined if there are none, or if the query has each of their terms outside of phrases too.
 *
 * @param highlighted - the terms of the scanner.
 */
function scannedPhrases(query: ResultSource['query'], highlighted: readonly string[]): ScannedPhrases | undefined {
  const { phrases, terms } = 'condition' in query ? requiredPhrases(query.condition) : phrasesOf(query)
  if (phrases.length === 0) return undefined
  const numbers = new Map(highlighted.map((term, number) => [term, number]))
  const forms = phrases.flatMap(phrase => {
    const form = phrase.flatMap(({ term, offset, endings }) => {
      const number = numbers.get(wordOfTerm(term))
      return number === undefined ? [] : [{ term: number, offset, endings }]
    })
    return form.length === phrase.length ? [form] : []
  })
  const alone = new Set([...terms].flatMap(term => numbers.get(wordOfTerm(term)) ?? []))
  return forms.length > 0 && alone.size > 0 ? { forms, terms: alone } : undefined
}

function phrasesOf({ phrases, phraseTerms = [] }: AnalyzedQuery): RequiredPhrases {
  // A phrase of one word needs a test only if the word must have certain endings.
  const ofSeveral = ({ length, 0: first }: Phrase): boolean => length > 1 || first?.endings !== undefined
  return { phrases: phrases.flat().filter(ofSeveral), terms: phraseTerms }
}

const makeNoSnippet = (): Snippet => ({ text: '', highlights: [] })
const noHighlights = (): SearchResult['titleHighlights'] => []

/** Returns the words of phrases, except function words and terms of the query. */
function phraseWords(phrases: readonly FavoredPhrase[], terms: readonly string[]): string[] {
  if (phrases.length === 0) return []
  const words = phrases.flatMap(({ forms }) => forms.flatMap(form => form.map(({ term }) => term)))
  return [...new Set(words)].filter(term => !terms.includes(term) && !isFunctionWord(term, 'en'))
}

/** The words of a query that are highlighted in the titles and snippets of its results. */
interface ShownQuery extends SnippetQuery {
  terms: readonly string[]
  hasPatterns: boolean
}

function shownQuery({ query, weights }: ResultSource): ShownQuery {
  const patterns = query.patterns?.filter(({ scores }) => scores) ?? []
  const scored = query.terms.map(({ term }) => wordOfTerm(term))
  const shown = phraseWords(query.alternatives ?? [], scored)
  const terms = [...scored, ...shown]
  const scanner = new TermScanner(terms, patterns.map(toScannedPattern))
  const worth = [...weights.slice(0, scored.length), ...shown.map(() => 1), ...weights.slice(scored.length)]
  return { scanner, weights: worth, phrases: scannedPhrases(query, terms), terms, hasPatterns: patterns.length > 0 }
}

/** Returns a function that makes the snippet of a hit. */
function snippetMaker(shown: ShownQuery, source: ResultSource): (hit: Hit) => Snippet {
  const contentOf = contentReader(shown, source)
  return hit => {
    checkSearchTime()
    return makeSnippet(contentOf(hit).content, shown, source.snippetMaxLength)
  }
}

/** Returns a function that says where the words of the query are in the page of a hit. */
function placesReader(shown: ShownQuery, source: ResultSource): NonNullable<ResultMakers['placesOf']> {
  const contentOf = contentReader(shown, source)
  return hit => {
    checkSearchTime()
    const { content, title } = contentOf(hit)
    const { segment, ordinal } = hit
    return { places: matchedPlaces(content, title, shown), captureId: segment.columns.captureIds[ordinal]! }
  }
}

/** Returns a function that reads the content and the title of a hit. */
function contentReader(
  { terms, hasPatterns }: ShownQuery,
  { pages, store, currentOf }: ResultSource,
): (hit: Hit) => { content: SnippetSource; title: string } {
  const bySegment = new Map<Segment, CapturePlaces>()
  return ({ segment, ordinal }) => {
    const captureId = segment.columns.captureIds[ordinal]!
    const { url, title, language, values } = pages.document(captureId)
    const text = pages.text(captureId)
    const placesIn = bySegment.get(segment) ?? new CapturePlaces(segment)
    bySegment.set(segment, placesIn)
    const places: IndexedWords['places'] = (term, out) => placesIn.read(term, ordinal, out)
    const content: SnippetSource = {
      text,
      language,
      indexed: () => {
        const { counts } = text
        const titleWords = WordOffsets.of(title)
        if (!counts || !titleWords) return undefined
        return { counts, read: index => text.read(index), firstPosition: titleWords.count + TITLE_GAP, places }
      },
      firstMatch: () => {
        // Positions of the title come first, and a title has at most as many words as characters.
        const first = Math.min(...terms.map(term => placesIn.firstFrom(term, ordinal, title.length)))
        if (first < Number.POSITIVE_INFINITY) return first / Math.max(1, segment.columns.lengths[ordinal]!)
        return hasPatterns ? 0 : undefined
      },
      furtherTexts: () => textsOfFields(parseFields(values)).flatMap(({ texts }) => texts),
      description: () => bodyAt(url, captureId, { store, currentOf }).details.description,
    }
    return { content, title }
  }
}
