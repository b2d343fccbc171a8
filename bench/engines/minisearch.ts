import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import MiniSearch from 'minisearch'
import { isInWindow, type LaneName } from '../questions/question.ts'
import { type BenchEngine, type EngineOptions, rivalVersion } from './engine.ts'

export const settings = `MiniSearch ${rivalVersion('minisearch')}: fields title (boost 2) and text, BM25+, no prefix or fuzzy, no stemming, no stored fields but dates if they are asked for; all in memory, saved as JSON`
export const persistent = false
export const lanes: readonly LaneName[] = ['or10', 'or100', 'and']

export async function open(folder: string, { dates = false }: EngineOptions): Promise<BenchEngine> {
  const index = new MiniSearch({
    fields: ['title', 'text'],
    storeFields: dates ? ['acquiredAt', 'publishedAt'] : [],
  })
  return {
    async add(pages) {
      index.addAll(
        pages.map(({ number, title, text, acquiredAt, publishedAt }) => ({
          id: number,
          title,
          text,
          acquiredAt,
          publishedAt,
        })),
      )
    },
    search: ({ form, words, limit, acquired, published }) =>
      index
        .search(words.join(' '), {
          boost: { title: 2 },
          combineWith: form === 'and' ? 'AND' : 'OR',
          filter: dates
            ? ({ acquiredAt, publishedAt }) => isInWindow(acquiredAt, acquired) && isInWindow(publishedAt, published)
            : undefined,
        })
        .slice(0, limit)
        .map(({ id }) => id),
    async close() {
      // The index is written key by key, because the JSON of a large index exceeds the maximum length of a string.
      const file = createWriteStream(join(folder, 'index.json'))
      for (const [key, value] of Object.entries(index.toJSON())) {
        if (Array.isArray(value)) for (const item of value) file.write(JSON.stringify(item))
        else file.write(JSON.stringify({ [key]: value }))
      }
      file.end()
      await finished(file)
    },
  }
}
