import type { Segment } from '../../segment/segment.ts'
import { bestOf, languageScores, writes } from '../../text/languages/language-detection.ts'
import { countHintWords, isPlainEnglish } from '../../text/languages/language-hint-words.ts'
import { mainScript } from '../../text/languages/script-census.ts'
import { fieldPrefix, fieldTerm } from '../../text/terms/field-term.ts'
import { hasStems } from '../../text/terms/language-terms.ts'
import { documentFrequency, type SegmentView } from '../postings/segment-view.ts'

/** What may as well be English is analysed as English: so no query of an English reader changes. */
const AS_WELL_ENGLISH = 0.85
/** A query that is much more likely of a language that no page is in has no language here. */
const LIKELY_ENOUGH = 0.85

/**
 * The language to analyse a query in: among those with stems that some capture up to the views' instant is in, the one
 * that the query's script and letters tell; so it depends on the query and on the captures up to the instant, and an
 * index of English pages knows English alone.
 *
 * @returns an ISO 639-1 code, or '' where words are analysed as in any text.
 */
export function queryLanguage(text: string, views: readonly SegmentView[]): string {
  const script = mainScript(text)
  if (!script) return ''
  if (script.language !== undefined) return hasStems(script.language) ? script.language : ''
  const present = languagesIn(views).filter(language => writes(language, script))
  if (present.length === 0) return ''
  if (script.name === 'latin' && isPlainEnglish(countHintWords(text))) return ''
  const { scores } = languageScores(text)
  const likeliest = bestOf(scores)[1]
  const [best, score] = bestOf(new Map(present.map(language => [language, scores.get(language) ?? 0])))
  // A script that only one of the languages is written in tells it without a known word.
  if (best === '') return script.name !== 'latin' && present.length === 1 ? present[0]! : ''
  if (score < LIKELY_ENOUGH * likeliest || (scores.get('en') ?? 0) >= AS_WELL_ENGLISH * score) return ''
  return best
}

/** By segment, the languages with stems that its captures are in: a segment never changes. */
const known = new WeakMap<Segment, readonly string[]>()

function languagesIn(views: readonly SegmentView[]): string[] {
  const present = new Set<string>()
  for (const view of views) for (const language of languagesUpTo(view)) present.add(language)
  return [...present].sort()
}

/** Of a segment's languages those that its captures below the cut are in, purged ones left out. */
function languagesUpTo(view: SegmentView): readonly string[] {
  const { segment, cut } = view
  const languages = languagesOf(segment)
  if (cut === segment.captures && segment.purged.length === 0) return languages
  return languages.filter(language => {
    const found = segment.term(fieldTerm('lang', language))
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
  const prefix = fieldPrefix('lang')
  const cursor = segment.dictionary.cursorFrom(prefix, () => false)
  while (cursor.next()) {
    const term = Buffer.from(cursor.term.subarray(0, cursor.termBytes)).toString()
    if (term.startsWith(prefix)) yield term.slice(prefix.length)
    else if (term > prefix) return
  }
}
