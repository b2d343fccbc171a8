import type { Embedder } from '@asof/core'
import { passageOf, TEXTS_AT_ONCE } from '../../core/models/text-vectors.ts'
import { DEPTH } from '../../service/evaluate/ranking-measures.ts'
import { rivalVersion } from '../engines/engine.ts'
import type { JudgedCollection } from './judged-collection.ts'
import type { Rankings } from './quality-systems.ts'

/** The hybrid search of Orama: words and vectors together. */
export const oramaHybrid = {
  name: 'orama hybrid',
  settings: `Orama ${rivalVersion('@orama/orama')}, hybrid search: title and text with its stemmer for English, OR, and one vector a page by the model below, the same that asof has; every similarity counts; both halves weigh the same (its default)`,
} as const

/** What is used of the package, which is installed only with the benchmarks, so that the rest is checked without it. */
interface Orama {
  create(settings: object): object
  insertMultiple(database: object, documents: readonly object[]): Promise<unknown>
  search(database: object, query: object): Promise<{ hits: readonly { id: string }[] }>
}

const PACKAGE: string = '@orama/orama'

/** Ranks with {@link oramaHybrid}. */
export async function hybridRankings({ pages, queries }: JudgedCollection, embed: Embedder): Promise<Rankings> {
  const { create, insertMultiple, search } = (await import(PACKAGE)) as Orama
  const texts = pages.map(({ title, text }) => passageOf(title, text, embed.passageUnits))
  const vectors = await vectorsOf(texts, 'passage', embed)
  const queryVectors = await vectorsOf(
    queries.map(({ text }) => text),
    'query',
    embed,
  )
  const dimensions = queryVectors[0]?.length ?? 0
  const database = create({
    schema: { title: 'string', text: 'string', vector: `vector[${dimensions}]` },
    components: { tokenizer: { language: 'english', stemming: true } },
  })
  await insertMultiple(
    database,
    pages.map(({ number, title, text }, p) => ({ id: String(number), title, text, vector: vectors[p]! })),
  )
  const ranked: number[][] = []
  for (const [q, { text }] of queries.entries()) {
    const term = (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(' ')
    const vector = { value: queryVectors[q]!, property: 'vector' }
    const { hits } = await search(database, {
      mode: 'hybrid',
      term,
      vector,
      // Its default of 0.8 leaves out nearly all pages, because few vectors of this model are so near.
      similarity: 0,
      threshold: 1,
      limit: DEPTH,
    })
    ranked.push(hits.map(({ id }) => Number(id)))
  }
  return new Map([[oramaHybrid.name, ranked]])
}

async function vectorsOf(texts: readonly string[], kind: 'passage' | 'query', embed: Embedder): Promise<number[][]> {
  const { signal } = new AbortController()
  const vectors: number[][] = []
  for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
    const made = await embed.embed(texts.slice(from, from + TEXTS_AT_ONCE), { kind, signal })
    vectors.push(...made.map(vector => [...vector]))
  }
  return vectors
}
