import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/apparatus/random.ts'
import { CapturedPages, LANG } from '../../bench/cluster/captured-pages.ts'
import { fillDirectly } from '../../bench/cluster/direct-fill.ts'
import { drawQuestions } from '../../bench/questions/draw-questions.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('a cluster that was filled directly', () => {
  it.each([1, 3])('answers as one to which the same pages were added, with %d copies of each text', async copies => {
    const seed = Date.now() % 2 ** 31
    console.log(`seed ${seed}`)
    const pages = new CapturedPages({ copies, pages: 3_400, seed, vocabulary: 20_000, meanWords: 30 })
    const [added, filled] = [await openTestCluster(), newName()]
    for (let from = 0; from < 3_400; from += 700) {
      const { failures } = await added.add(
        pages.range(from, from + 700).map(({ url, title, text, acquiredAt, publishedAt }) => ({
          url,
          title,
          markdown: text,
          acquiredAt,
          lang: LANG,
          publishedAt,
        })),
      )
      expect(failures).toEqual([])
    }
    await fillDirectly(pages, { search: anyNode(), database: servers!.database, name: filled, shards: 2 })
    const direct = await openTestCluster({ name: filled, shards: 2 })
    try {
      const { segments, bytes, ...stats } = await added.stats()
      expect(await direct.stats()).toMatchObject(stats)
      const random = seededRandom(seed)
      let results = 0
      const instant = (): number => pages.page(random.below(3_400)).acquiredAt
      const { or10, asof, phrase, answers } = drawQuestions(pages.survey(3_400), { count: 25, seed, source: 'bands' })
      for (const { form, words, limit } of [or10, asof, phrase, answers].flat())
        for (const mode of ['realtime', 'pro'] as const)
          for (const queryTime of [undefined, instant()]) {
            const query = form === 'phrase' ? `"${words.join(' ')}"` : words.join(' ')
            const options = { mode, maxResults: limit, queryTime }
            const answer = await direct.search(query, options)
            expect(answer, query).toEqual(await added.search(query, options))
            results += answer.results.length
          }
      expect(results).toBeGreaterThan(500)
      for (let n = 0; n < 200; n++) {
        const { url } = pages.page(random.below(3_400))
        const queryTime = instant()
        expect(await direct.page(url, { queryTime })).toEqual(await added.page(url, { queryTime }))
        expect(await direct.history(url)).toEqual(await added.history(url))
      }
      expect(await direct.captureHistogram({ maxBins: 50 })).toEqual(await added.captureHistogram({ maxBins: 50 }))
      for (let n = 0; n < 20; n++) {
        const at = instant()
        expect(await direct.sealed(at).stats()).toEqual(await added.sealed(at).stats())
      }
      // A writer goes on where the fill ended.
      const more = { url: pages.page(5).url, title: 'later', text: 'much later' }
      for (const engine of [direct, added]) expect((await engine.add([more])).added).toBe(1)
      expect((await direct.search('much later')).results.map(({ url }) => url)).toEqual([more.url])
    } finally {
      await direct.close()
      await added.close()
    }
  })
})
