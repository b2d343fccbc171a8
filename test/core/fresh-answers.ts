import { expect } from 'vitest'
import { type Embedder, type Engine, isAsofError, type Observation, type SearchAnswer } from '../../core/index.ts'
import { play, questions } from './history-script.ts'
import { parts, searchKnown } from './observers.ts'

interface FreshAnswers {
  /** Computes the vectors of the fresh index. Default: it has no vectors. */
  embed?: Embedder | undefined
  /** Default: {@link questions}. */
  asked?: typeof questions
}

/**
 * Expects that an index answers questions as of an instant as one on one machine that was built of nothing but what stood then. Leaves out
 * questions that a cluster does not support. Returns the number of answers that were equal.
 */
export async function expectFreshAnswers(
  engine: Engine,
  instant: number,
  { embed, asked = questions }: FreshAnswers = {},
): Promise<number> {
  const { engine: fresh, close } = await play([], { embed })
  try {
    expect((await fresh.add(await stoodAt(engine, instant))).failures).toEqual([])
    // Every capture up to the instant makes its fields known, so the fresh index may not know some.
    const known = (await fresh.fields({ queryTime: instant })).map(({ name }) => name)
    const lacking = ['color', 'price', 'seen', 'sold'].filter(name => !known.includes(name))
    let equal = 0
    for (const { query, options } of asked) {
      if (lacking.some(name => JSON.stringify([query, options]).includes(name))) continue
      const times = { queryTime: instant }
      const found = await supported(searchKnown(engine, query, { ...options, ...times }))
      if (!found) continue
      const { answer } = found
      const expected = await searchKnown(fresh, query, { ...options, ...times })
      expect([query, options, answer && comparable(answer)]).toEqual([query, options, expected && comparable(expected)])
      equal++
      if (answer?.next === undefined) continue
      const { offset: _, ...rest } = options
      const further = await engine.search(query, { ...rest, ...times, cursor: answer.next })
      const expectedFurther = await fresh.search(query, { ...rest, ...times, cursor: expected?.next })
      expect([query, options, comparable(further)]).toEqual([query, options, comparable(expectedFurther)])
    }
    return equal
  } finally {
    await close()
  }
}

/** Returns what an index must be given so that it holds the pages that stood at an instant, and nothing else. */
async function stoodAt(engine: Engine, instant: number): Promise<Observation[]> {
  const all = (await parts(cursor => engine.export({ cursor }))).flatMap(({ observations }) => observations)
  const since = new Map<string, number>()
  for (const url of new Set(all.map(observation => observation.url))) {
    const page = await engine.page(url, { queryTime: instant })
    // The page at an alias is that of another URL.
    if (page?.url === url) since.set(url, Number(page.acquiredAt))
  }
  return all.filter(observation => {
    const from = since.get(observation.url)
    if (from === undefined || 'removedAt' in observation) return false
    const at = instantOf(observation)
    return at <= instant && ('aliasedAt' in observation || at >= from)
  })
}

function instantOf(observation: Observation): number {
  if ('acquiredAt' in observation) return Number(observation.acquiredAt)
  if ('seenAt' in observation) return Number(observation.seenAt)
  return Number('aliasedAt' in observation ? observation.aliasedAt : Number.NaN)
}

async function supported<T>(answer: Promise<T>): Promise<{ answer: T } | undefined> {
  try {
    return { answer: await answer }
  } catch (error) {
    if (isAsofError(error, 'ASOF_UNSUPPORTED')) return undefined
    throw error
  }
}

/** An answer with what the receipt says about the pages that stood. The rest of the receipt tells the history of the index. */
function comparable({ next, receipt, warning, warnings, ...answer }: SearchAnswer): unknown {
  const { captures, undated } = receipt
  return { ...answer, captures, undated, warnings: warnings?.map(({ code }) => code), hasNext: next !== undefined }
}
