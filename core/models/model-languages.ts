import { detectLanguage, languageOfTag, writes } from '../text/languages/language-detection.ts'
import { mainScript } from '../text/languages/script-census.ts'
import type { Embedder } from './embedder.ts'

/** Returns the ISO 639-1 codes of a model's languages, in ascending order; undefined if it has no limit. */
export function languagesOf({ languages }: Pick<Embedder, 'languages'>): readonly string[] | undefined {
  return languages && [...new Set(languages.map(languageOfTag))].sort()
}

/**
 * Returns the identity of a model's vectors: its name and its languages. The languages belong to it because they decide
 * which captures have a vector.
 */
export function modelIdentityOf(embedder: Pick<Embedder, 'model' | 'languages'>): string {
  const languages = languagesOf(embedder)
  return languages ? `${embedder.model} (${languages.join(', ')})` : embedder.model
}

/**
 * True if a model knows the language of a text. If the language is unknown, as for names, code or a few words, the
 * script of the text decides.
 *
 * @param languages - ISO 639-1 codes; undefined for a model that knows every language.
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
 * Returns the language of a query, from the request or from the words of the query.
 *
 * @param named - the language in the request, ISO 639-1.
 * @returns an ISO 639-1 code; '' if it is unknown.
 */
export function languageOfWords(words: string, named: string | undefined): string {
  return named ?? detectLanguage('', words)
}
