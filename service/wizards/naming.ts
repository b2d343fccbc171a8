import { queryTerms } from '@asof/core/internal'
import type { WizardAnswer, WizardCapture, WizardQuestion } from './wizard.ts'

/** Returns the terms of a text in the form in which they are indexed. */
export function termsOf(text: string): Set<string> {
  return new Set(queryTerms(text).map(({ term }) => term))
}

/** A thing that a query may name, such as a company, product or place. */
export interface Named {
  /** Its names. A query must contain a word of one of them. */
  names: readonly (string | undefined)[]
  /** Other words that a query may contain with the name, such as a brand, a town or a league. */
  qualifiers?: readonly (string | undefined)[]
}

/**
 * True if a query names a thing. Every word of the query must be in a name, in a qualifier or in `intent`, and at least
 * one in a name. A query of one word without an intent word names only a thing with a name of at most two words.
 *
 * @param terms - the terms of the query, see `WizardQuestion.terms`.
 * @param intent - words for the kind of answer, such as "price" or "stock".
 */
export function isNamedBy(
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
 * Returns answers from the best results. If there are none, searches again without the intent words, because the page
 * with the address of a shop need not contain the word "address".
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

/** Removes the intent words from a query. Returns undefined if it has none, or only such words. */
function withoutIntent(query: string, intent: ReadonlySet<string>): string | undefined {
  const words = queryTerms(query).filter(({ functionWord }) => !functionWord)
  const left = words.filter(({ term }) => !intent.has(term))
  if (left.length === 0 || left.length === words.length) return undefined
  return left.map(({ start, end }) => query.slice(start, end)).join(' ')
}
