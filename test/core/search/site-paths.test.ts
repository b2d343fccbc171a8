import fc from 'fast-check'
import { expect, it } from 'vitest'
import { open, type SearchMode } from '../../../core/index.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2025, 0, 1)

const hosts = ['a.example', 'www.a.example', 'b.example']
const segments = ['docs', 'Docs', 'doc', 'docsearch', 'é', '%20', 'x']
const paths = fc.array(fc.constantFrom(...segments), { maxLength: 3 }).map(parts => `/${parts.join('/')}`)
const endings = fc.constantFrom('', '/', '?docs=1', '#docs')
const urls = fc
  .tuple(fc.constantFrom('http', 'https'), fc.constantFrom(...hosts), paths, endings)
  .map(([scheme, host, path, ending]) => `${scheme}://${host}${path}${ending}`)
const observations = fc.array(fc.record({ url: urls, day: fc.nat(5), isRemoved: fc.nat(5).map(n => n === 0) }), {
  minLength: 1,
  maxLength: 30,
})
const entries = fc.array(
  fc
    .tuple(fc.constantFrom('a.example', 'b.example', 'example'), fc.option(paths, { nil: '' }))
    .map(parts => parts.join('')),
  { maxLength: 3 },
)

/** True if a page is on the host of an entry, and its path is that of the entry or below it, by the parsed URL. */
function isIn(url: string, entry: string): boolean {
  const { hostname, pathname } = new URL(url)
  const wanted = new URL(`http://${entry}`)
  const onHost = hostname === wanted.hostname || hostname.endsWith(`.${wanted.hostname}`)
  const [own, below] = [pathname, wanted.pathname].map(path => path.split('/').map(decodeURIComponent))
  if (below?.at(-1) === '') below.pop()
  return onHost && (below ?? []).every((part, i) => own?.[i] === part)
}

it('lists of sites with paths keep and leave out the pages that a test of each URL does, as of every instant, and count them', async () => {
  await fc.assert(
    fc.asyncProperty(
      observations,
      entries,
      entries,
      fc.constantFrom<SearchMode>('pro', 'realtime', 'webql'),
      async (list, sites, excludeSites, mode) => {
        const engine = await open(':memory:', { now: () => START + 10 * DAY_MS })
        try {
          const current = new Map<string, Map<number, boolean>>()
          for (const [n, { url, day, isRemoved }] of list.entries()) {
            const at = START + day * DAY_MS + n
            const page = { url, text: `word of ${n} ${url}`, acquiredAt: at }
            // Each page is a commit, and so a segment, until the index merges them.
            const { failures } = await engine.add([isRemoved ? { url, removedAt: at } : page])
            expect(failures).toEqual([])
            const key = url.replace(/#.*/, '').replace(/%20|é/g, part => encodeURIComponent(decodeURIComponent(part)))
            current.set(key, (current.get(key) ?? new Map<number, boolean>()).set(at, isRemoved))
          }
          for (const days of [2, 4, 10]) {
            const queryTime = START + days * DAY_MS
            const expected = [...current].flatMap(([url, history]) => {
              const before = [...history].filter(([at]) => at <= queryTime).sort(([a], [b]) => b - a)
              const isThere = before.length > 0 && before[0]?.[1] === false
              const isWanted = sites.length === 0 || sites.some(entry => isIn(url, entry))
              return isThere && isWanted && !excludeSites.some(entry => isIn(url, entry)) ? [url] : []
            })
            const options = { sites, excludeSites, queryTime, mode, maxResults: 100 }
            const listed = await engine.search('word', { ...options, sort: 'acquiredAt' })
            expect(listed.results.map(({ url }) => url).sort()).toEqual(expected.sort())
            expect(listed.total).toEqual({ value: expected.length, exact: true })
            const ranked = await engine.search('word', { ...options, mode: 'realtime' })
            expect(ranked.results.map(({ url }) => url).sort()).toEqual(expected)
          }
        } finally {
          await engine.close()
        }
      },
    ),
    { numRuns: 40 },
  )
})
