import { open } from '@asof/core'
import { create, insert, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { rivalVersion } from '../engines/engine.ts'
import type { Section } from './readme-sections.ts'

/** An engine that answers while a query is typed. */
export interface TypedEngine {
  settings: string
  /** Returns the URLs of the results, best first. */
  search(text: string, limit: number): Promise<string[]> | string[]
  close(): Promise<void>
}

/** For each engine by name, a function that opens it with sections in memory. */
export const typedEngines: Record<string, (sections: readonly Section[]) => Promise<TypedEngine>> = {
  asof: sections => asof(sections, 'realtime'),
  'asof pro': sections => asof(sections, 'pro'),
  async minisearch(sections) {
    const index = new MiniSearch({ fields: ['title', 'markdown'], idField: 'url' })
    index.addAll(sections)
    return {
      settings: `MiniSearch ${rivalVersion('minisearch')}: fields title (boost 2) and text; the last word as a prefix, fuzzy 0.2`,
      search: (text, limit) => {
        const last = text.split(' ').length - 1
        const options = { boost: { title: 2 }, fuzzy: 0.2, prefix: (_: string, i: number) => i === last }
        return index
          .search(text, options)
          .slice(0, limit)
          .map(({ id }) => id)
      },
      close: async () => {},
    }
  },
  async orama(sections) {
    const database = create({ schema: { title: 'string', markdown: 'string' } })
    for (const { url, title, markdown } of sections) await insert(database, { id: url, title, markdown })
    return {
      settings: `Orama ${rivalVersion('@orama/orama')}: fields title (boost 2) and text; words match as prefixes (its default), OR by threshold 1`,
      async search(term, limit) {
        const { hits } = await search(database, { term, limit, boost: { title: 2 }, threshold: 1 })
        return hits.map(({ id }) => id)
      },
      close: async () => {},
    }
  },
}

async function asof(sections: readonly Section[], mode: 'realtime' | 'pro'): Promise<TypedEngine> {
  const engine = await open(':memory:')
  const { failures } = await engine.add([...sections])
  if (failures[0]) throw new Error(failures[0].message)
  return {
    settings: `asof: typing, mode ${mode}, default weights`,
    async search(text, limit) {
      const { results } = await engine.search(text, { mode, typing: true, maxResults: limit, snippetMaxLength: 0 })
      return results.map(({ url }) => url)
    },
    close: () => engine.close(),
  }
}
