import { deepEqual, equal, ok } from 'node:assert/strict'
import { type ContractIt, page, rejectsWith, testUrl } from './test-engines.ts'

export function relevanceContract(it: ContractIt): void {
  it('is empty until it is set', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    deepEqual(await engine.relevance(), { relevance: {} })
  })

  it('changes searches from now on, and none as of an earlier instant', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'), page('b', 'red vixen'))
    const search = async (queryTime?: number) => {
      const { results, receipt } = await engine.search('fox', { mode: 'realtime', queryTime })
      return { urls: results.map(({ url }) => url), receipt }
    }
    const { receipt: before } = await search()
    const relevance = { synonyms: [['fox', 'vixen']] }
    const since = await engine.setRelevance(relevance)
    ok(since > before.instant)
    deepEqual(await engine.relevance(), { relevance, since })
    deepEqual((await search()).urls, [testUrl('a'), testUrl('b')])
    equal((await search()).receipt.relevanceSince, since)
    deepEqual((await search(before.instant)).urls, [testUrl('a')])
    deepEqual(await engine.relevance({ queryTime: before.instant }), { relevance: {} })
  })

  it('is replaced as a whole, and setting it again does nothing', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    await engine.setRelevance({ stopWords: ['red'] })
    const since = await engine.setRelevance({ weights: { title: 2 } })
    deepEqual(await engine.relevance(), { relevance: { weights: { title: 2 } }, since })
    equal(await engine.setRelevance({ weights: { title: 2 } }), since)
  })

  it('rejects what is wrong with the path of it', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.setRelevance({ synonyms: [['fox']] }))
    await rejectsWith('ASOF_INVALID_TIME', () => engine.relevance({ queryTime: 'someday' }))
    deepEqual(await engine.relevance(), { relevance: {} })
  })
}
