import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import MiniSearch from 'minisearch'
import { type BenchEngine, type Lane, rivalVersion } from '../engine.ts'

const version = rivalVersion('minisearch')

export const persistent = false
export const lanes: readonly Lane[] = [{ name: 'top 10' }]

export async function open(folder: string): Promise<BenchEngine> {
  const index = new MiniSearch<{ id: number; title: string; text: string }>({ fields: ['title', 'text'] })
  return {
    settings: `MiniSearch ${version}: fields title (boost 2) and text, OR, BM25+, no prefix or fuzzy, no stored fields`,
    async add(pages) {
      index.addAll(pages.map(({ number, title, text }) => ({ id: number, title, text })))
    },
    search: query =>
      index
        .search(query, { boost: { title: 2 }, combineWith: 'OR' })
        .slice(0, 10)
        .map(({ id }) => id),
    async save() {
      // Key by key: one JSON string of a large index is longer than a string may be.
      const file = createWriteStream(join(folder, 'index.json'))
      for (const [key, value] of Object.entries(index.toJSON())) {
        if (Array.isArray(value)) for (const item of value) file.write(JSON.stringify(item))
        else file.write(JSON.stringify({ [key]: value }))
      }
      file.end()
      await finished(file)
      return file.bytesWritten
    },
    async close() {},
  }
}
