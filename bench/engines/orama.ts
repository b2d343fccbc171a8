import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create, insert, save, search } from '@orama/orama'
import type { LaneName } from '../questions/question.ts'
import { type BenchEngine, type EngineOptions, rivalVersion } from './engine.ts'

export const settings = `Orama ${rivalVersion('@orama/orama')}: title and text, BM25, no stemming, words match as prefixes (its default), OR by threshold 1, AND by threshold 0, documents kept in memory with their text; saved as JSON`
export const persistent = false
export const lanes: readonly LaneName[] = ['or10', 'or100', 'and']

export async function open(folder: string, { dates = false }: EngineOptions): Promise<BenchEngine> {
  const words = { title: 'string', text: 'string' } as const
  const database = create({ schema: dates ? { ...words, acquiredAt: 'number', publishedAt: 'number' } : words })
  return {
    async add(pages) {
      for (const { number, title, text, acquiredAt, publishedAt } of pages) {
        const page = { id: String(number), title, text }
        await insert(database, dates ? { ...page, acquiredAt, publishedAt } : page)
      }
    },
    async search({ form, words, limit, acquired, published }) {
      const where: { acquiredAt?: { between: typeof acquired }; publishedAt?: { between: typeof published } } = {}
      if (acquired) where.acquiredAt = { between: acquired }
      if (published) where.publishedAt = { between: published }
      const { hits } = await search(database, {
        term: words.join(' '),
        limit,
        threshold: form === 'or' ? 1 : 0,
        where,
      })
      return hits.map(({ id }) => id)
    },
    async close() {
      const parts = Object.entries(save(database)).flatMap(([key, part]) => jsonParts(key, part))
      for (const [number, part] of parts.entries()) await writeFile(join(folder, `part-${number}.json`), part)
    },
  }
}

/**
 * Returns the JSON of a value in parts, divided at the two upper levels. The whole JSON of a large index would exceed the
 * maximum length of a string.
 */
function jsonParts(name: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify({ [name]: value })]
  return Object.entries(value).map(([key, part]) => JSON.stringify({ [`${name}.${key}`]: part }))
}
