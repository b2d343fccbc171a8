import type { Relevance, Synonym } from '../../relevance/relevance.ts'
import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'

/** Number of languages whose synonyms are cached. */
const MAX_LANGUAGES = 4
/** Number of analyzed conditions of rules that are cached, in all languages together. */
const MAX_RULES = 1000

/** A text that has alternatives, in terms of the index. */
export interface SynonymEntry {
  /** The terms of the text, in order. */
  keys: readonly string[]
  /** Texts that pages may have instead. */
  alternatives: readonly string[]
}

/** The term by which a word of a query is recognized in synonyms and rules. */
export function keyOf({ stem, term }: QueryTerm): string {
  return stem ?? term
}

/** A version of the relevance of an index, in the form in which searches use it. */
export class CompiledRelevance {
  readonly relevance: Relevance
  /** Folded words that do not score. */
  readonly stopWords: ReadonlySet<string>
  readonly #rules = new Map<string, readonly string[]>()
  readonly #synonyms = new Map<string, ReadonlyMap<string, readonly SynonymEntry[]>>()

  private constructor(relevance: Relevance) {
    this.relevance = relevance
    this.stopWords = new Set(relevance.stopWords?.flatMap(text => queryTerms(text).map(({ word }) => word)))
  }

  /** Returns the compiled form of a version. The same object is compiled only once. */
  static of(relevance: Relevance): CompiledRelevance {
    const known = compiled.get(relevance) ?? new CompiledRelevance(relevance)
    compiled.set(relevance, known)
    return known
  }

  /** The terms of the words that a rule asks for in a language; none if it always applies. */
  keysOfRule(when: string | undefined, language: string): readonly string[] {
    if (when === undefined) return []
    const name = `${language} ${when}`
    const keys = this.#rules.get(name) ?? queryTerms(when, language).map(keyOf)
    if (this.#rules.size >= MAX_RULES) this.#rules.clear()
    this.#rules.set(name, keys)
    return keys
  }

  /** The texts with alternatives, by their first term in a language; those with the most words first. */
  synonymsIn(language: string): ReadonlyMap<string, readonly SynonymEntry[]> {
    const known = this.#synonyms.get(language)
    if (known) return known
    const entries = (this.relevance.synonyms ?? []).flatMap(synonym => entriesOf(synonym, language))
    entries.sort((a, b) => b.keys.length - a.keys.length)
    const byFirst = Map.groupBy(entries, ({ keys }) => keys[0] ?? '')
    for (const oldest of this.#synonyms.keys()) if (this.#synonyms.size >= MAX_LANGUAGES) this.#synonyms.delete(oldest)
    this.#synonyms.set(language, byFirst)
    return byFirst
  }
}

const compiled = new WeakMap<Relevance, CompiledRelevance>()

function entriesOf(synonym: Synonym, language: string): SynonymEntry[] {
  const entryOf = (text: string, alternatives: readonly string[]): SynonymEntry => ({
    keys: queryTerms(text, language).map(keyOf),
    alternatives,
  })
  if ('also' in synonym) return synonym.words.map(text => entryOf(text, synonym.also))
  return synonym.map((text, i) => entryOf(text, synonym.toSpliced(i, 1)))
}
