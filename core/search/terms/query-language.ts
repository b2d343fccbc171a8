import { allStand, documentFrequency, type SegmentView } from '../../postings/segment-view.ts'
import type { Segment } from '../../segment/segment.ts'
import { bestOf, writes } from '../../text/languages/language-detection.ts'
import { countHintWords, isPlainEnglish } from '../../text/languages/language-hint-words.ts'
import { languageScores } from '../../text/languages/language-scores.ts'
import { mainScript } from '../../text/languages/script-census.ts'
import { hasStems } from '../../text/terms/language-terms.ts'
import { propertyPrefix, propertyTerm } from '../../text/terms/property-term.ts'
import type { IndexView } from '../collection/index-view.ts'

/**
 * If English scores at least this share of the best language, the query counts as English: queries in English must not be
 * analyzed in another language.
 */
const MIN_ENGLISH_SHARE = 0.85
/**
 * The best language of the index must score at least this share of the best language overall; otherwise no language is
 * detected.
 */
const MIN_LIKELY_SHARE = 0.85
/** A query that could be of any language counts as being in the language of at least this share of the captures. */
const MIN_SHARE_OF_MOST = 0.9

/**
 * Detects the language to analyze a query in. It is one of the languages with a stemmer that some capture is written in which
 * stood at the instant of the index view; script and letters of the query choose among them. So the result depends only on the
 * query and on captures that stood then, and an index with only English pages never detects another language. A query that
 * could be of any language has that of nearly all captures.
 *
 * @returns an ISO 639-1 code, or '' if words are to be analyzed independently of a language.
 */
export function queryLanguage(text: string, index: IndexView): string {
  const script = mainScript(text)
  if (!script) return ''
  if (script.language !== undefined) return hasStems(script.language) ? script.language : ''
  const present = index.collection.languages().filter(language => writes(language, script))
  if (present.length === 0) return ''
  if (script.name === 'latin' && isPlainEnglish(countHintWords(text))) return ''
  const { scores } = languageScores(text)
  const likeliest = bestOf(scores)[1]
  const [best, score] = bestOf(new Map(present.map(language => [language, scores.get(language) ?? 0])))
  // If only one language of the index uses this script, the query is in that language, even if none of its words is known.
  if (best === '' && script.name !== 'latin' && present.length === 1) return present[0]!
  const isLikely = score >= MIN_LIKELY_SHARE * likeliest && (scores.get('en') ?? 0) < MIN_ENGLISH_SHARE * score
  return best !== '' && isLikely ? best : languageOfMost(index, present)
}

/**
 * Returns the language of nearly all captures, if hardly any capture is in English; '' if no language is that of nearly all. The letters of
 * a single word, such as `Bahnhof`, hardly show its language, but queries to an index of German pages are German.
 */
function languageOfMost({ collection }: IndexView, present: readonly string[]): string {
  const { captures } = collection.statistics
  const shareOf = (language: string): number => collection.frequencyOf(propertyTerm('lang', language)) / captures
  // Most indexes have English pages, so for most queries no other share is looked up. A page may count in two languages, the declared and the
  // detected one.
  if (shareOf('en') > 1 - MIN_SHARE_OF_MOST) return ''
  return present.find(language => shareOf(language) >= MIN_SHARE_OF_MOST) ?? ''
}

/** For each segment the languages of its captures that have a stemmer. Segments are immutable. */
const known = new WeakMap<Segment, readonly string[]>()

/** The languages with a stemmer of the captures that stood at the instant of the views, ascending. */
export function languagesIn(views: readonly SegmentView[]): string[] {
  const present = new Set<string>()
  for (const view of views) for (const language of languagesAt(view)) present.add(language)
  return [...present].sort()
}

/** The languages of the captures that stood at the instant of a view. */
function languagesAt(view: SegmentView): readonly string[] {
  const { segment } = view
  const languages = languagesOf(segment)
  if (allStand(view)) return languages
  return languages.filter(language => {
    const found = segment.term(propertyTerm('lang', language))
    return found !== undefined && documentFrequency(view, found) > 0
  })
}

function languagesOf(segment: Segment): readonly string[] {
  let languages = known.get(segment)
  if (!languages) {
    languages = [...tagsOf(segment)].filter(hasStems)
    known.set(segment, languages)
  }
  return languages
}

function* tagsOf(segment: Segment): Generator<string> {
  const prefix = propertyPrefix('lang')
  const cursor = segment.dictionary.cursorFrom(prefix, () => false)
  while (cursor.next()) {
    const term = Buffer.from(cursor.term.subarray(0, cursor.termBytes)).toString()
    if (term.startsWith(prefix)) yield term.slice(prefix.length)
    else if (term > prefix) return
  }
}
