import { analyzer } from './analyzers.ts'
import { countHintWords, isPlainEnglish, isProse } from './language-hint-words.ts'
import { languageScores } from './language-scores.ts'
import { type MainScript, mainScript } from './script-census.ts'
import type { ScriptName } from './table/scripts.ts'

/** Length of the samples from the beginning and the middle of a text, in UTF-16 units. */
const OPENING = 500
const MIDDLE = 250
/** A text with fewer letters has too few words to identify its language. */
const MIN_LETTERS = 24
/** The declared language is accepted if it scores at least this share of the best score. */
const BELIEVED = 0.9
/** A language other than English is accepted only if English scores less than this share of its score. */
const AS_WELL_ENGLISH = 0.85

/** Returns the language of a BCP 47 tag, such as `pt` for `pt-BR`; '' if the text is no tag. */
export function languageOfTag(tag: string): string {
  const primary = /^[a-z]{2,3}(?=$|[-_])/i.exec(tag.trim())?.[0].toLowerCase() ?? ''
  return analyzer.languages.codeOf(primary)
}

/**
 * Returns the language of a page, from its script, declared language and words. Reads only a sample of a long text.
 *
 * @param declared - the BCP 47 tag that the page or its server declares, which is often wrong.
 * @returns an ISO 639-1 code; '' if the language is unknown.
 */
export function detectLanguage(title: string, text: string, declared = ''): string {
  const sample = sampleOf(title, text)
  const script = mainScript(sample)
  if (!script) return ''
  const declaredLanguage = languageOfTag(declared)
  if (analyzer.languages.of(declaredLanguage)?.isUndetected && writes(declaredLanguage, script)) return declaredLanguage
  if (script.language !== undefined) return script.language
  const believable = writes(declaredLanguage, script)
  if (script.letters < MIN_LETTERS && script.name !== 'latin') return believable ? declaredLanguage : ''
  if (script.name === 'latin') {
    const hints = countHintWords(sample)
    if (isPlainEnglish(hints)) return 'en'
    // Names, numbers and code have no language. Skipping them also saves time, because the detector is slower than the
    // rest of the analysis.
    if (script.letters < MIN_LETTERS || !isProse(hints)) return believable ? declaredLanguage : ''
  }
  const { scores, isReliable } = languageScores(sample)
  const [best, most] = bestOf(scores)
  if (best === '') return believable ? declaredLanguage : ''
  if (believable && (scores.get(declaredLanguage) ?? 0) >= BELIEVED * most) return declaredLanguage
  if (best === 'en' || (isReliable && (scores.get('en') ?? 0) < AS_WELL_ENGLISH * most)) return best
  return believable ? declaredLanguage : ''
}

/**
 * Returns the language with the highest score, and the score. If scores are equal, the first code wins. Returns '' and
 * 0 without scores.
 */
export function bestOf(scores: ReadonlyMap<string, number>): [language: string, score: number] {
  let best: [string, number] = ['', 0]
  for (const [language, score] of scores)
    if (score > best[1] || (score === best[1] && language < best[0])) best = [language, score]
  return best
}

function sampleOf(title: string, text: string): string {
  const opening = `${title.slice(0, MIDDLE)}\n${text.slice(0, OPENING)}`
  if (text.length < 2 * OPENING) return opening
  const middle = text.length >> 1
  return `${opening}\n${text.slice(middle, middle + MIDDLE)}`
}

/** True if a language is written in a script. An unknown language counts as written in Latin letters. */
export function writes(language: string, { name }: Pick<MainScript, 'name'>): boolean {
  if (language === '') return false
  const { scripts = LATIN } = analyzer.languages.of(language) ?? {}
  return scripts.includes(name)
}

const LATIN: readonly ScriptName[] = ['latin']
