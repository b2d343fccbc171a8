import { deepEqual, equal } from 'node:assert/strict'
import type { Engine } from '../engine/engine.ts'
import { type ContractIt, page, rejectsWith, testUrl } from './test-engines.ts'

export function sealedContract(it: ContractIt): void {
  it('answers as of its seal whatever is asked, and refuses later instants', async engines => {
    const engine = await engines.openWith(
      page('a', 'an old harvest', { acquiredAt: '2020-01-01' }),
      page('a', 'a new harvest', { acquiredAt: '2021-01-01' }),
      page('b', 'a harvest', { acquiredAt: '2022-01-01' }),
    )
    const sealed = engine.sealed('2020-06-01')
    const { results, receipt } = await sealed.search('harvest')
    deepEqual(
      results.map(({ url }) => url),
      [testUrl('a')],
    )
    equal(receipt.instant, Date.UTC(2020, 5, 1))
    const found = await sealed.page(testUrl('a'), { queryTime: '2020-02-01', supersededAt: true })
    equal(found?.markdown.trim(), 'an old harvest')
    equal(found?.supersededAt, undefined)
    equal((await sealed.history(testUrl('a'))).versions[0]?.supersededAt, undefined)
    deepEqual((await sealed.timeline(testUrl('a')))?.versions, [{ kind: 'capture', at: Date.UTC(2020, 0, 1) }])
    equal(await sealed.page(testUrl('b')), undefined)
    const { captures, bytes, segments } = await sealed.stats()
    deepEqual([captures, bytes, segments], [1, undefined, undefined])
    await rejectsWith('ASOF_INVALID_TIME', () => sealed.search('harvest', { queryTime: '2021-06-01' }))
  })

  it('only reads', async engines => {
    const engine = await engines.openWith(page('a', 'a harvest'))
    const sealed = engine.sealed(engines.now) as Engine
    await rejectsWith('ASOF_SEALED', () => sealed.add([page('b', 'a harvest')]))
    await rejectsWith('ASOF_SEALED', () => sealed.remove(testUrl('a')))
    await rejectsWith('ASOF_SEALED', () => sealed.purge(testUrl('a')))
    await sealed.close()
    equal((await engine.search('harvest')).results.length, 1)
  })

  it('is sealed at an instant that has passed', async engines => {
    const engine = await engines.open()
    await rejectsWith('ASOF_INVALID_TIME', async () => engine.sealed(engines.now + 1000).search('harvest'))
    await rejectsWith('ASOF_INVALID_TIME', async () => engine.sealed('soon').search('harvest'))
  })
}
