import { countHintWords, isPlainEnglish, isProse } from './language-hint-words.ts'
import { type LanguageNgrams, languageNgrams } from './language-ngrams.ts'
import { moduleOfPackage } from './package-module.ts'
import { type MainScript, mainScript } from './script-census.ts'

/** The release of the detector: part of the analyzer's identity. */
export const DETECTOR_VERSION = '2.1.0'

interface Detector {
  detect(text: string): { getScores(): Readonly<Record<string, number>>; isReliable(): boolean }
}

/** UTF-16 units of a text that are looked at: from its beginning, and from its middle. */
const OPENING = 500
const MIDDLE = 250
/** With fewer letters a text of a script of many languages tells nothing for sure. */
const LEAST_LETTERS = 24
/** What a page says of itself is believed if its words are about as likely as those of any other language. */
const BELIEVED = 0.9
/** What may as well be English is not taken for anything else. */
const AS_WELL_ENGLISH = 0.85

/** Older and narrower codes by the ones used here. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['ms', 'id'],
])

/** Languages that the detector does not know, by script: of these a page's word is taken where the script fits. */
const undetected: ReadonlyMap<string, string> = new Map([
  ['eo', 'latin'],
  ['ga', 'latin'],
  ['st', 'latin'],
  ['id', 'latin'],
  ['ne', 'devanagari'],
  ['yi', 'hebrew'],
])

/** The language that a tag names: `pt-BR` is `pt`; '' for what is no tag. */
export function languageOfTag(tag: string): string {
  const primary = /^[a-z]{2,3}(?=$|[-_])/i.exec(tag.trim())?.[0].toLowerCase() ?? ''
  return synonyms.get(primary) ?? primary
}

/**
 * The language that a page is written in, as far as it can be told: by its script, by what it says of itself, by its
 * words. A function of its arguments alone, bounded in time: a fixed part of a long text is looked at.
 *
 * @param declared - the BCP 47 tag that the page or its server gives; it may be wrong, and often is.
 * @returns an ISO 639-1 code, or '' when nothing tells.
 */
export function detectLanguage(title: string, text: string, declared = ''): string {
  const sample = sampleOf(title, text)
  const script = mainScript(sample)
  if (!script) return ''
  const said = languageOfTag(declared)
  if (undetected.get(said) === script.name) return said
  if (script.language !== undefined) return script.language
  const believable = writes(said, script)
  if (script.letters < LEAST_LETTERS && script.name !== 'latin') return believable ? said : ''
  if (script.name === 'latin') {
    const hints = countHintWords(sample)
    if (isPlainEnglish(hints)) return 'en'
    // Names, numbers and code are in no language; to ask the detector would take longer than the rest of the analysis.
    if (script.letters < LEAST_LETTERS || !isProse(hints)) return believable ? said : ''
  }
  const { scores, isReliable } = languageScores(sample)
  const [best, most] = bestOf(scores)
  if (best === '') return believable ? said : ''
  if (believable && (scores.get(said) ?? 0) >= BELIEVED * most) return said
  if (best === 'en' || (isReliable && (scores.get('en') ?? 0) < AS_WELL_ENGLISH * most)) return best
  return believable ? said : ''
}

/**
 * How likely a text is to be of each language, 0 to 1, languages that it can't be of left out.
 *
 * @param text - its first thousand UTF-16 units count.
 */
export function languageScores(text: string): { scores: Map<string, number>; isReliable: boolean } {
  detector ??= loadedDetector()
  const result = detector.detect(text)
  const scores = new Map<string, number>()
  for (const [code, score] of Object.entries(result.getScores())) scores.set(synonyms.get(code) ?? code, score)
  return { scores, isReliable: result.isReliable() }
}

let detector: Detector | undefined

/** What the detector's own entry for its smallest data does, with the data in other hands. */
function loadedDetector(): Detector {
  const { instance, loadData } = moduleOfPackage<{ createEld(): NewDetector }>(
    'eld',
    'src/languageDetector.js',
  ).createEld()
  loadData(languageNgrams())
  return instance
}

interface NewDetector {
  instance: Detector
  loadData(data: LanguageNgrams): unknown
}

/** The likeliest language and its score; '' for no scores. Ties go to the code that comes first. */
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

/** Languages by the scripts that several share: the rest of those that pages declare is written in Latin. */
const others: Readonly<Record<string, readonly string[]>> = {
  cyrillic: ['ru', 'uk', 'be', 'bg', 'sr', 'mk', 'kk', 'ky', 'mn', 'tg'],
  arabic: ['ar', 'fa', 'ur', 'ps', 'ku', 'sd', 'ug'],
  devanagari: ['hi', 'mr', 'ne', 'sa'],
}
const notLatin = new Set([
  ...Object.values(others).flat(),
  ...'el hy he yi bn pa gu or ta te kn ml si th lo my ka am km ko ja zh'.split(' '),
])
const alsoLatin = new Set(['sr', 'ku'])

/** Whether a language is written in a script that several are written in. */
export function writes(language: string, { name }: Pick<MainScript, 'name'>): boolean {
  if (language === '') return false
  return name === 'latin'
    ? !notLatin.has(language) || alsoLatin.has(language)
    : (others[name]?.includes(language) ?? false)
}
