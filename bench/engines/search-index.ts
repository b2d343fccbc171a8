import { join } from 'node:path'
import { SearchIndex } from 'search-index'
import type { LaneName } from '../questions/question.ts'
import { type BenchEngine, rivalVersion } from './engine.ts'

export const mostPages = 2_000
export const settings = `search-index ${rivalVersion('search-index')} (LevelDB): defaults, documents stored; the first ${mostPages.toLocaleString('en')} pages, indexing alone`
export const persistent = true
export const lanes: readonly LaneName[] = []

export async function open(folder: string): Promise<BenchEngine> {
  const index = new SearchIndex({ name: join(folder, 'index') })
  return {
    async add(pages) {
      await index.PUT(pages.map(({ number, title, text }) => ({ _id: number, title, text })))
    },
    search() {
      throw new Error('search-index has no lanes: only its indexing is measured')
    },
    close: () => index.INDEX.STORE.close(),
  }
}
