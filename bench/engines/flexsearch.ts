import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Index } from 'flexsearch'
import { type BenchEngine, type Lane, rivalVersion } from '../engine.ts'

const version = rivalVersion('flexsearch')

export const persistent = false
export const lanes: readonly Lane[] = [{ name: 'top 10' }]

export async function open(folder: string): Promise<BenchEngine> {
  const index = new Index({ tokenize: 'strict' })
  return {
    settings: `FlexSearch ${version}: one Index over title and text, tokenize strict, suggest (its nearest to OR), not BM25, no store`,
    async add(pages) {
      for (const { number, title, text } of pages) index.add(number, `${title} ${text}`)
    },
    search: query => index.search(query, { limit: 10, suggest: true }),
    async save() {
      let bytes = 0
      let part = 0
      await index.export(async (_key: string, value?: string) => {
        if (value === undefined) return
        bytes += Buffer.byteLength(value)
        await writeFile(join(folder, `part-${part++}.json`), value)
      })
      return bytes
    },
    async close() {},
  }
}
