import { open as openAsof } from '../../core/index.ts'
import type { BenchEngine, Lane } from '../engine.ts'

export const persistent = true
export const lanes: readonly Lane[] = [
  { name: 'top 10' },
  { name: 'as of a random past cut', pastCut: true },
  { name: 'with snippets', snippets: true },
]

export async function open(folder: string): Promise<BenchEngine> {
  const engine = await openAsof(folder)
  return {
    settings: 'asof: default options; mode realtime; stores text and positions, every add durable (synced)',
    async add(pages) {
      const { added, failed } = await engine.add(
        pages.map(({ url, title, text, publishedAt, acquiredAt }) => ({
          url,
          title,
          text,
          acquiredAt,
          ...(publishedAt !== undefined && { publishedAt }),
        })),
      )
      if (failed.length > 0) throw failed[0].error
      if (added !== pages.length) throw new Error(`asof took ${added} of ${pages.length} pages`)
    },
    async search(query, { queryAt, snippets }) {
      const { results } = await engine.search(query, {
        mode: 'realtime',
        maxResults: 10,
        ...(queryAt !== undefined && { queryTime: queryAt }),
        ...(!snippets && { snippetMaxLength: 0 }),
      })
      return results.map(({ url }) => url)
    },
    save: async () => (await engine.stats()).bytes,
    close: () => engine.close(),
  }
}
