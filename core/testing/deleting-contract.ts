import { deepEqual, equal } from 'node:assert/strict'
import type { BulkReport } from '../bulk/bulk-report.ts'
import type { PageSelection } from '../bulk/page-selection.ts'
import type { ObservationInput } from '../page.ts'
import { type ContractIt, found, page, rejectsWith, SECOND_MS, START_AT, testUrl } from './test-engines.ts'

/** The report of a bulk deletion that found nothing. */
const nothingDeleted: BulkReport = { pages: 0, captures: 0, failed: 0, failures: [], finished: true }
export function deletingContract(it: ContractIt): void {
  it('seen moves lastSeenAt and adds no version', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    equal(await engine.markSeen(testUrl('a')), true)
    equal(await engine.markSeen(testUrl('unknown')), false)
    const { acquiredAt, lastSeenAt } = (await engine.page(testUrl('a'))) ?? {}
    deepEqual([acquiredAt, lastSeenAt], [START_AT, START_AT + SECOND_MS])
    equal((await engine.history(testUrl('a'))).versions.length, 1)
  })

  it('remove ends a page from now on and leaves the past as it was', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    equal(await engine.remove(testUrl('a')), true)
    equal(await engine.remove(testUrl('a')), false)
    deepEqual(await found(engine, 'fox'), [])
    equal(await engine.page(testUrl('a')), undefined)
    deepEqual(await found(engine, 'fox', START_AT), [testUrl('a')])
    equal((await engine.page(testUrl('a'), { queryTime: START_AT }))?.markdown, 'red fox')
  })

  it('remove with an instant ends a page in the past, and counts as declared', async engines => {
    engines.now = START_AT + 4 * SECOND_MS
    const engine = await engines.openWith(page('a', 'red fox', { acquiredAt: START_AT }))
    const at = START_AT + 2 * SECOND_MS
    const before = await engine.search('fox', { queryTime: at })
    equal(await engine.remove(testUrl('a'), { at }), true)
    equal(await engine.remove(testUrl('a'), { at }), false)
    deepEqual(await found(engine, 'fox', at - 1), [testUrl('a')])
    deepEqual(await found(engine, 'fox', at), [])
    equal(await engine.page(testUrl('a')), undefined)
    const after = await engine.search('fox', { queryTime: at })
    deepEqual([before.receipt.declared, after.receipt.declared], [1, 2])
    equal((await engine.search('fox', { queryTime: at - 1 })).receipt.declared, 1)
  })

  it('remove with an instant applies to pages that are declared later, and to no alias', async engines => {
    engines.now = START_AT + 4 * SECOND_MS
    const engine = await engines.open()
    const at = START_AT + 2 * SECOND_MS
    equal(await engine.remove(testUrl('a'), { at }), false)
    await engine.add([page('a', 'red fox', { acquiredAt: START_AT, aliases: [testUrl('short')] })])
    deepEqual(await found(engine, 'fox', at - 1), [testUrl('a')])
    deepEqual(await found(engine, 'fox'), [])
    await engine.add([page('b', 'red wolf', { acquiredAt: START_AT, aliases: [testUrl('other')] })])
    equal(await engine.remove(testUrl('other'), { at }), false)
    deepEqual(await found(engine, 'wolf'), [testUrl('b')])
    await rejectsWith('ASOF_INVALID_TIME', () => engine.remove(testUrl('b'), { at: engines.now + 1 }), 'at')
    await rejectsWith('ASOF_INVALID_TIME', () => engine.remove(testUrl('b'), { at: 'then' }), 'at')
  })

  it('add declares removals, sightings and aliases, in whatever order they arrive', async engines => {
    engines.now = START_AT + 10 * SECOND_MS
    const at = (seconds: number) => START_AT + seconds * SECOND_MS
    const observations: ObservationInput[] = [
      page('a', 'red fox', { acquiredAt: at(1) }),
      { url: testUrl('a'), seenAt: at(2), unchangedSince: at(1), aliases: [testUrl('short')] },
      { url: testUrl('a'), aliasedAt: at(3), aliases: [testUrl('other')] },
      { url: testUrl('a'), removedAt: at(4) },
      page('a', 'red fox', { acquiredAt: at(6) }),
      { url: testUrl('a'), seenAt: at(7) },
    ]
    const forward = await engines.openWith(...observations)
    const backward = await engines.open()
    for (const observation of [observations[0]!, ...observations.slice(1).reverse()]) await backward.add([observation])
    for (const engine of [forward, backward])
      for (const [seconds, acquiredAt, lastSeenAt] of [
        [3, 1, 2],
        [4, undefined, undefined],
        [6, 6, 6],
        [9, 6, 7],
      ] as const) {
        const page = await engine.page(testUrl('other'), { queryTime: at(seconds) })
        deepEqual(
          [page?.acquiredAt, page?.lastSeenAt],
          [acquiredAt, lastSeenAt].map(second => (second === undefined ? undefined : at(second))),
        )
      }
    deepEqual((await forward.export()).observations, (await backward.export()).observations)
    deepEqual((await forward.stats()).captures, 2)
  })

  it('rejects declared observations with unknown fields, and records a sighting of unknown content as seen', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    const report = await engine.add([
      { url: testUrl('a'), removedAt: START_AT, text: 'x' } as ObservationInput,
      { url: testUrl('a'), removedAt: engines.now + 1 },
      { url: testUrl('a'), seenAt: engines.now, unchangedSince: engines.now },
      { url: testUrl('a'), seenAt: engines.now, unchangedSince: START_AT - 1 },
    ])
    deepEqual(
      report.failures.map(({ code }) => code),
      ['ASOF_INVALID_CAPTURE', 'ASOF_INVALID_TIME', 'ASOF_INVALID_TIME'],
    )
    deepEqual(
      report.warnings.map(({ field }) => field),
      ['unchangedSince'],
    )
    equal(report.unchanged, 1)
    equal((await engine.page(testUrl('a')))?.lastSeenAt, engines.now)
  })

  it('the later of two observations of one URL and one instant takes the place of the other', async engines => {
    const won = await engines.openWith(
      page('a', 'red fox lost', { acquiredAt: START_AT }),
      page('b', 'red fox', { acquiredAt: START_AT }),
      page('a', 'red fox won', { acquiredAt: START_AT }),
    )
    const only = await engines.openWith(
      page('b', 'red fox', { acquiredAt: START_AT }),
      page('a', 'red fox won', { acquiredAt: START_AT }),
    )
    const [answer, expected] = await Promise.all([won, only].map(engine => engine.search('red lost fox')))
    deepEqual(answer?.results, expected?.results)
    deepEqual(answer?.receipt, expected?.receipt)
    const [all, kept] = await Promise.all([won, only].map(engine => engine.stats()))
    equal(all?.captures, kept?.captures)
  })

  it('purge deletes a page from all of time', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'))
    engines.now += SECOND_MS
    await engine.add([page('a', 'red wolf')])
    equal(await engine.purge(testUrl('a')), 2)
    equal(await engine.purge(testUrl('a')), 0)
    for (const queryTime of [START_AT, engines.now]) {
      deepEqual(await found(engine, 'red', queryTime), [testUrl('b')])
      equal(await engine.page(testUrl('a'), { queryTime }), undefined)
    }
    equal(await engine.timeline(testUrl('a')), undefined)
    deepEqual((await engine.history(testUrl('a'))).versions, [])
    deepEqual(
      (await engine.export()).observations.map(({ url }) => url),
      [testUrl('b')],
    )
    const { captures, urls } = await engine.stats()
    deepEqual({ captures, urls }, { captures: 1, urls: 1 })
  })

  it('scores after a purge as if the page had never been added', async engines => {
    const purged = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'), page('c', 'red red'))
    const never = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'))
    await purged.purge(testUrl('c'))
    const scores = async (engine: typeof purged) =>
      (await engine.search('red')).results.map(({ url, score }) => [url, score])
    deepEqual(await scores(purged), await scores(never))
  })

  it('removes and purges the pages of a selection, and changes nothing in a dry run', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'), page('c', 'red wolf'))
    const selection = (...names: string[]) => ({ urls: names.map(testUrl) })
    equal((await engine.removeAll(selection('a', 'b'), { dryRun: true })).pages, 2)
    deepEqual((await found(engine, 'red')).sort(), ['a', 'b', 'c'].map(testUrl))
    deepEqual(await engine.removeAll(selection('a', 'none')), { ...nothingDeleted, pages: 1 })
    deepEqual((await found(engine, 'red')).sort(), ['b', 'c'].map(testUrl))
    deepEqual(await engine.purgeAll({ prefix: testUrl('b') }), { ...nothingDeleted, pages: 1, captures: 1 })
    deepEqual(await found(engine, 'red', START_AT), ['a', 'c'].map(testUrl))
    deepEqual(await engine.purgeAll({ all: true }), { ...nothingDeleted, pages: 2, captures: 2 })
  })

  it('deletes nothing by a careless selection', async engines => {
    const engine = await engines.openWith({ ...page('a', 'red fox'), fields: { lang: 'en' } }, page('b', 'red panda'))
    const selections: PageSelection[] = [
      {},
      { site: 'com' },
      { filter: { not: { lnag: 'en' } } },
      { filter: { not: { lang: 'em' } } },
      { filter: { lang: { prefix: '' } } },
    ]
    for (const selection of selections) {
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.removeAll(selection))
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.purgeAll(selection))
    }
    deepEqual((await found(engine, 'red')).sort(), ['a', 'b'].map(testUrl))
  })

  it('rejects invalid URLs', async engines => {
    const engine = await engines.open()
    for (const call of [engine.markSeen, engine.remove, engine.purge].map(method => method.bind(engine)))
      await rejectsWith('ASOF_INVALID_URL', () => call('nowhere'))
  })
}
