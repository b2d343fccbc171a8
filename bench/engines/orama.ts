import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create, insert, save, search } from '@orama/orama'
import type { LaneName } from '../questions/question.ts'
import { type BenchEngine, rivalVersion } from './engine.ts'

export const settings = `Orama ${rivalVersion('@orama/orama')}: title and text, BM25, no stemming, words match as prefixes (its default), OR by threshold 1, AND by threshold 0, documents kept in memory with their text; saved as JSON`
export const persistent = false
export const lanes: readonly LaneName[] = ['or10', 'or100', 'and']

export async function open(folder: string): Promise<BenchEngine> {
  const database = create({ schema: { title: 'string', text: 'string' } })
  return {
    async add(pages) {
      for (const { number, title, text } of pages) await insert(database, { id: String(number), title, text })
    },
    async search({ form, words, limit }) {
      const { hits } = await search(database, { term: words.join(' '), limit, threshold: form === 'or' ? 1 : 0 })
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
