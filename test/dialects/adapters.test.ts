import { beforeAll, describe, expect, it } from 'vitest'
import { type Adapters, startAdapters } from './adapters/adapters.ts'
import { instants, queries } from './corpus.ts'
import { adapters as installation } from './install.ts'
import { pairs, played, World } from './world.ts'

const { isInstalled } = installation
if (!isInstalled) console.warn('skipped: the adapters are not installed; run npm run test:dialects -- --adapters')

/** What an adapter is asked for, by the end of its name. */
const subjects = ['extract', 'scrape', 'map'] as const

const adaptersOf: Readonly<Record<string, readonly string[]>> = {
  exa: ['@langchain/exa', 'langchain-exa tool', 'langchain-exa retriever', 'litellm exa_ai'],
  tavily: [
    '@langchain/tavily search',
    '@langchain/tavily extract',
    '@langchain/tavily map',
    '@tavily/ai-sdk search',
    '@tavily/ai-sdk extract',
    '@tavily/ai-sdk map',
    'langchain-tavily search',
    'langchain-tavily extract',
    'langchain-tavily map',
    'litellm tavily',
  ],
  firecrawl: ['firecrawl-aisdk search', 'firecrawl-aisdk scrape', 'litellm firecrawl'],
  searxng: ['SearxSearchWrapper', 'litellm searxng'],
  perplexity: ['litellm perplexity'],
  parallel: ['litellm parallel_ai'],
  brave: ['BraveSearchWrapper', 'litellm brave'],
}

describe.skipIf(!isInstalled)('adapters of agent frameworks', () => {
  let world: World
  let adapters: Adapters
  beforeAll(async () => {
    ;[world, adapters] = await Promise.all([World.open(), startAdapters()])
    return async () => {
      adapters.close()
      await world.close()
    }
  })

  const all = Object.entries(adaptersOf).flatMap(([dialect, names]) => names.map(adapter => ({ dialect, adapter })))
  const cases = pairs(all, instants).map(([one, at], i) => ({
    ...one,
    at,
    carrier: (['path', 'key', 'sealed key'] as const)[i % 3]!,
    query: queries[i % queries.length]!,
  }))
  it.each(played(cases))(
    '$adapter by $carrier reads the pages of $at',
    async ({ dialect, adapter, at, carrier, query }) => {
      const { base, key } = await world.carried(dialect, carrier, at)
      const standing = new Map(world.standing(at).map(version => [version.url, version]))
      const subject = subjects.find(name => adapter.endsWith(name))
      const [page = ''] = [...standing.keys()].filter(url => url.includes('/docs/'))
      const asked = { extract: page, scrape: page, map: new URL(page).origin }
      const returned = await adapters.call({ adapter, base, key, query: subject ? asked[subject] : query })
      const urls = new Set(returned.match(/https:\/\/site\d+\.example\/[\w/-]+/g))
      expect(urls.size).toBeGreaterThan(0)
      expect([...urls].filter(url => !standing.has(url))).toEqual([])
      if (!subject) {
        const native = await world.native({ query, max_results: 20, query_time: at })
        expect([...urls].filter(url => native.every(result => result.url !== url))).toEqual([])
      }
      // Texts say which version of which page they are of.
      for (const [, number, version, host] of returned.matchAll(
        /report number (\d+) in version (\d+) of (site\d+\.example)/g,
      )) {
        const shown = [...standing.values()].find(one => one.host === host && one.path.endsWith(`/page-${number}`))
        expect(shown?.content?.text).toContain(`in version ${version} of`)
      }
    },
  )
})
