import type { Engine, PassagesOptions } from '@asof/core'
import { estimateTokens } from '../../core/passages/token-estimate.ts'
import { plainQuery } from '../../service/evaluate/plain-query.ts'
import { seededRandom } from '../apparatus/random.ts'
import type { AnsweredQuestion } from './answered-collection.ts'

/** What is shown of a page to somebody who asks. */
interface Shown {
  url: string
  text: string
}

/** The ways to show what answers a question. */
export const shownBy = {
  'ten snippets': async (engine: Engine, query: string): Promise<Shown[]> => snippets(engine, query, 600),
  'ten snippets of 800': async (engine: Engine, query: string): Promise<Shown[]> => snippets(engine, query, 800),
  passages: async (engine: Engine, query: string, options: PassagesOptions): Promise<Shown[]> =>
    (await engine.passages(query, options)).passages,
  'whole texts': (engine: Engine, query: string, { maxTokens = 2_000 }: PassagesOptions): Promise<Shown[]> =>
    wholeTexts(engine, query, maxTokens),
  '10 pages, all of them': async (engine: Engine, query: string): Promise<Shown[]> => pages(engine, query, 10),
  '20 pages, all of them': async (engine: Engine, query: string): Promise<Shown[]> => pages(engine, query, 20),
} as const

export type ShownBy = keyof typeof shownBy

export const waysToShow = Object.keys(shownBy) as ShownBy[]

async function snippets(engine: Engine, query: string, snippetMaxLength: number): Promise<Shown[]> {
  const { results } = await engine.search(query, { snippetMaxLength })
  return results.map(({ url, snippet: { text } }) => ({ url, text }))
}

async function pages(engine: Engine, query: string, maxResults: number): Promise<Shown[]> {
  const { results } = await engine.search(query, { maxResults, snippetMaxLength: 0 })
  const read = await Promise.all(results.map(({ url }) => engine.page(url)))
  return read.flatMap(page => (page ? { url: page.url, text: page.markdown } : []))
}

/** The texts of the best pages in order, until the tokens are used up. The last text is cut. */
async function wholeTexts(engine: Engine, query: string, maxTokens: number): Promise<Shown[]> {
  const shown: Shown[] = []
  let left = maxTokens
  for (const { url, text } of await pages(engine, query, 20)) {
    const tokens = estimateTokens(text)
    const fits = tokens <= left ? text : text.slice(0, Math.floor((text.length * left) / tokens))
    shown.push({ url, text: fits })
    left -= tokens
    if (left <= 0) break
  }
  return shown
}

/** Returns true if something that is shown of a page with the answer has the answer. */
export async function isAnswered(
  engine: Engine,
  { text, urls, isAnsweredBy }: AnsweredQuestion,
  by: ShownBy,
  options: PassagesOptions,
): Promise<boolean> {
  const shown = await shownBy[by](engine, plainQuery(text), options)
  const byUrl = new Map<string, string[]>()
  for (const { url, text: part } of shown) if (urls.has(url)) byUrl.set(url, [...(byUrl.get(url) ?? []), part])
  return [...byUrl.values()].some(parts => isAnsweredBy(parts.join('\n')))
}

/**
 * Splits questions into two halves by chance, so that parameters can be fitted to the second half and measured on the first. So far none was
 * fitted.
 */
export function halves<T>(questions: readonly T[], seed: number): { first: T[]; second: T[] } {
  const random = seededRandom(seed, -1)
  const first: T[] = []
  const second: T[] = []
  for (const question of questions) (random.next() < 0.5 ? second : first).push(question)
  return { first, second }
}
