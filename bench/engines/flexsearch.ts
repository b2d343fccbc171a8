import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Index } from 'flexsearch'
import type { LaneName } from '../questions/question.ts'
import { type BenchEngine, rivalVersion } from './engine.ts'

export const settings = `FlexSearch ${rivalVersion('flexsearch')}: one Index over title and text, tokenize strict, OR by suggest (its nearest), ranked by position rather than BM25, no store; all in memory, saved by export`
export const persistent = false
export const lanes: readonly LaneName[] = ['or10', 'or100', 'and']

export async function open(folder: string): Promise<BenchEngine> {
  const index = new Index({ tokenize: 'strict' })
  return {
    async add(pages) {
      for (const { number, title, text } of pages) index.add(number, `${title} ${text}`)
    },
    search: ({ form, words, limit }) => index.search(words.join(' '), { limit, suggest: form === 'or' }),
    async close() {
      let part = 0
      await index.export(async (_key: string, value?: string) => {
        if (value !== undefined) await writeFile(join(folder, `part-${part++}.json`), value)
      })
    },
  }
}
