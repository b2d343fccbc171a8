import { queryTerms } from '@asof/core/internal'
import type { WizardAnswer, WizardCapture, WizardQuestion } from './wizard.ts'

/** Returns the terms of a text as they are in the index. */
export function termsOf(text: string): Set<string> {
  return new Set(queryTerms(text).map(({ term }) => term))
}

/** An entity that a query may name. */
export interface Named {
  /** Its names. At least one word of the query must be in one of them. */
  names: readonly (string | undefined)[]
  /** Other texts whose words people use together with the name: a brand, a town, a league. */
  qualifiers?: readonly (string | undefined)[]
}

/**
 * Returns true if a query names an entity: every word of the query except `intent` words is in the names or in `qualifiers`, and
 * at least one is in a name. A query of a single word, without an intent word, names only entities with at most two words in
 * their name.
 *
 * @param terms - the query's, see `WizardQuestion.terms`.
 * @param intent - words about the kind of answer, such as "price" or "stock".
 */
export function isNamed(
  terms: readonly string[],
  intent: ReadonlySet<string>,
  { names, qualifiers = [] }: Named,
): boolean {
  const asked = terms.filter(term => !intent.has(term))
  const [firstAsked] = asked
  if (firstAsked === undefined) return false
  const proper = names.map(name => termsOf(name ?? ''))
  const holds = (term: string) => proper.some(name => name.has(term))
  if (!asked.some(holds)) return false
  if (terms.length === 1 && !proper.some(name => name.has(firstAsked) && name.size <= 2)) return false
  const rest = termsOf(joined(qualifiers))
  return asked.every(term => holds(term) || rest.has(term))
}

function joined(texts: readonly (string | undefined)[]): string {
  return texts.filter(text => text !== undefined).join(' \n ')
}

/**
 * Answers from the captures of the best results. If there is no answer, searches again without the intent words: the page
 * that has the address of a shop need not contain the word "address".
 */
export async function answerAbout(
  { query, captures, search }: WizardQuestion,
  intent: ReadonlySet<string>,
  answersIn: (captures: readonly WizardCapture[]) => WizardAnswer[],
): Promise<WizardAnswer[]> {
  const answers = answersIn(captures)
  if (answers.length > 0) return answers
  const words = withoutIntent(query, intent)
  return words === undefined ? [] : answersIn(await search(words))
}

/** Removes the intent words from a query. Returns `undefined` if it has none, or no other words. */
function withoutIntent(query: string, intent: ReadonlySet<string>): string | undefined {
  const words = queryTerms(query).filter(({ functionWord }) => !functionWord)
  const left = words.filter(({ term }) => !intent.has(term))
  if (left.length === 0 || left.length === words.length) return undefined
  return left.map(({ start, end }) => query.slice(start, end)).join(' ')
}
