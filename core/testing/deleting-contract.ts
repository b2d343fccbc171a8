import { deepEqual, equal } from 'node:assert/strict'
import { type ContractIt, found, page, rejectsWith, SECOND_MS, START_AT, urlOf } from './test-engines.ts'

export function deletingContract(it: ContractIt): void {
  it('seen moves lastSeenAt and adds no version', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    equal(await engine.seen(urlOf('a')), true)
    equal(await engine.seen(urlOf('unknown')), false)
    const { acquiredAt, lastSeenAt } = (await engine.page(urlOf('a'))) ?? {}
    deepEqual([acquiredAt, lastSeenAt], [START_AT, START_AT + SECOND_MS])
    equal((await engine.versions(urlOf('a'))).versions.length, 1)
  })

  it('remove ends a page from now on and leaves the past as it was', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    equal(await engine.remove(urlOf('a')), true)
    equal(await engine.remove(urlOf('a')), false)
    deepEqual(await found(engine, 'fox'), [])
    equal(await engine.page(urlOf('a')), undefined)
    deepEqual(await found(engine, 'fox', START_AT), [urlOf('a')])
    equal((await engine.page(urlOf('a'), { queryTime: START_AT }))?.markdown, 'red fox')
  })

  it('purge deletes a page from all of time', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'))
    engines.now += SECOND_MS
    await engine.add([page('a', 'red wolf')])
    equal(await engine.purge(urlOf('a')), 2)
    equal(await engine.purge(urlOf('a')), 0)
    for (const queryTime of [START_AT, engines.now]) {
      deepEqual(await found(engine, 'red', queryTime), [urlOf('b')])
      equal(await engine.page(urlOf('a'), { queryTime }), undefined)
    }
    equal(await engine.timeline(urlOf('a')), undefined)
    deepEqual((await engine.versions(urlOf('a'))).versions, [])
    deepEqual(
      (await engine.history()).captures.map(({ url }) => url),
      [urlOf('b')],
    )
    const { captures, urls } = await engine.stats()
    deepEqual({ captures, urls }, { captures: 1, urls: 1 })
  })

  it('scores after a purge as if the page had never been added', async engines => {
    const purged = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'), page('c', 'red red'))
    const never = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'))
    await purged.purge(urlOf('c'))
    const scores = async (engine: typeof purged) =>
      (await engine.search('red')).results.map(({ url, score }) => [url, score])
    deepEqual(await scores(purged), await scores(never))
  })

  it('rejects invalid URLs', async engines => {
    const engine = await engines.open()
    for (const call of [engine.seen, engine.remove, engine.purge].map(method => method.bind(engine)))
      await rejectsWith('ASOF_INVALID_URL', () => call('nowhere'))
  })
}
