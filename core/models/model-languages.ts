import { detectLanguage, languageOfTag, writes } from '../text/languages/language-detection.ts'
import { mainScript } from '../text/languages/script-census.ts'
import type { Embedder } from './embedder.ts'

/** The ISO 639-1 codes of a model's languages, in ascending order; undefined if it knows all. */
export function languagesOf({ languages }: Pick<Embedder, 'languages'>): readonly string[] | undefined {
  return languages && [...new Set(languages.map(languageOfTag))].sort()
}

/**
 * Identifies the vectors of a model in an index: its name, and its languages, because they decide which captures have a
 * vector.
 */
export function identityOf(embedder: Pick<Embedder, 'model' | 'languages'>): string {
  const languages = languagesOf(embedder)
  return languages ? `${embedder.model} (${languages.join(', ')})` : embedder.model
}

/**
 * True if a model can compare a text. If the language of a text is unknown, as that of a few words, names or code is, its
 * script decides.
 *
 * @param languages - see {@link languagesOf}.
 * @param language - ISO 639-1; '' if it is unknown.
 */
export function knowsText(languages: readonly string[] | undefined, language: string, text: string): boolean {
  if (!languages) return true
  if (language !== '') return languages.includes(language)
  const script = mainScript(text)
  if (!script) return false
  if (script.language !== undefined) return languages.includes(script.language)
  return languages.some(known => writes(known, script))
}

/**
 * The language of a query as far as it follows from the query alone.
 *
 * @param named - the language that the caller named, ISO 639-1.
 * @returns an ISO 639-1 code; '' if it is unknown.
 */
export function languageOfWords(words: string, named: string | undefined): string {
  return named ?? detectLanguage('', words)
}
