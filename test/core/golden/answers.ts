import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Engine, type FacetCounts, type FacetValue, isAsofError, open } from '../../../core/index.ts'
import { type Question, questionAt } from './questions.ts'
import { endOf, type Scale } from './world.ts'

/** The world of the golden answers. */
export const goldenScale: Scale = { pages: 700, sessions: 24, perSession: 128 }
/** The frozen index of this world, and the hashes of its answers. */
export const goldenFolder = join(import.meta.dirname, 'world-v1')
export const goldenFile = join(import.meta.dirname, 'answers-v1.json')
export const QUESTIONS = 10_000
/** Number of answers that have one hash. */
export const BLOCK = 100

/** Opens an index of a world, with the clock at its end. Its segments stay as they are. */
export function openWorld(dir: string, scale: Scale): Promise<Engine> {
  return open(dir, { now: () => endOf(scale), mergePolicy: () => [], searchThreads: 0, create: false })
}

/** Returns what must never change of the answer to a question, as JSON: numbers are written so that every bit counts. */
export async function answerOf(engine: Engine, question: Question): Promise<string> {
  if ('url' in question)
    return JSON.stringify((await engine.page(question.url, { queryTime: question.queryTime })) ?? null)
  try {
    const { mode, results, receipt, queriedUrl, facets, total, next } = await engine.search(
      question.query,
      question.options,
    )
    return JSON.stringify({ mode, results, receipt, queriedUrl, facets: facets && sorted(facets), total, next })
  } catch (error) {
    // Some questions are wrong, such as a pattern that stands for too many words.
    if (isAsofError(error) && error.statusCode < 500) return error.code
    throw error
  }
}

function sorted(facets: FacetCounts[]) {
  const counts = (values: FacetValue[]) => values.map(({ value, count }): [string, number] => [String(value), count])
  return facets.map(({ field, values }) => [field.replace(/:.*/, ''), counts(values).sort()])
}

/** Returns the hash of a block of answers. */
export async function blockHash(engine: Engine, block: number, scale: Scale): Promise<string> {
  const hash = createHash('sha256')
  for (let n = block * BLOCK; n < (block + 1) * BLOCK; n++)
    hash.update(`${await answerOf(engine, questionAt(n, scale))}\n`)
  return hash.digest('hex').slice(0, 32)
}
