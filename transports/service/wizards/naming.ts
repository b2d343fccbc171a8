import { queryTerms } from '@asof/core'
import type { WizardAnswer, WizardCapture, WizardQuestion } from './wizard.ts'

/** The terms of a text, as the index knows them. */
export function termsOf(text: string): Set<string> {
  return new Set(queryTerms(text).map(({ term }) => term))
}

/** A thing that a query may name. */
export interface Named {
  /** Its names proper: one of them must hold a word of the query. */
  names: readonly (string | undefined)[]
  /** What else people say to name it: a brand, a town, a league. */
  besides?: readonly (string | undefined)[]
}

/**
 * Whether a query names a thing: its names and what goes with them hold every word of the query that is not about the
 * kind of answer (`intent`: "price", "stock"), and a name holds at least one. One word alone, with none about the kind
 * of answer, names only what it is half the name of.
 *
 * @param terms - of the query, see `WizardQuestion.terms`.
 */
export function isNamed(
  terms: readonly string[],
  intent: ReadonlySet<string>,
  { names, besides = [] }: Named,
): boolean {
  const asked = terms.filter(term => !intent.has(term))
  if (asked.length === 0) return false
  const proper = names.map(name => termsOf(name ?? ''))
  const holds = (term: string) => proper.some(name => name.has(term))
  if (!asked.some(holds)) return false
  if (terms.length === 1 && !proper.some(name => name.has(asked[0]) && name.size <= 2)) return false
  const rest = termsOf(joined(besides))
  return asked.every(term => holds(term) || rest.has(term))
}

function joined(texts: readonly (string | undefined)[]): string {
  return texts.filter(text => text !== undefined).join(' \n ')
}

/**
 * Answers from the captures of the best results, or else from those of the query without the words about the kind of
 * answer: a page that tells where a shop is need not have the word `address`.
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

/** The query without some of its words; `undefined` when it has none of them, or no others. */
function withoutIntent(query: string, intent: ReadonlySet<string>): string | undefined {
  const words = queryTerms(query).filter(({ functionWord }) => !functionWord)
  const left = words.filter(({ term }) => !intent.has(term))
  if (left.length === 0 || left.length === words.length) return undefined
  return left.map(({ start, end }) => query.slice(start, end)).join(' ')
}
