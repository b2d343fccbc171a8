import { deepEqual } from 'node:assert/strict'
import { type ContractIt, page, rejectsWith, testUrl } from './test-engines.ts'

export function histogramContract(it: ContractIt): void {
  const acquired = (path: string, acquiredAt: string | number) =>
    page(path, `text of ${path} ${acquiredAt}`, { acquiredAt })
  const bin = (at: string, endsAt: string, captures: number) => ({
    at: Date.parse(at),
    endsAt: Date.parse(endsAt),
    captures,
  })

  it('counts the captures of each day, superseded ones included', async engines => {
    const engine = await engines.openWith(
      acquired('a', '2019-03-01T10:00Z'),
      acquired('b', '2019-03-01T23:59:59.999Z'),
      acquired('a', '2019-03-03T00:00Z'),
    )
    deepEqual(await engine.captureHistogram({ maxBins: 30 }), {
      interval: 'day',
      bins: [bin('2019-03-01', '2019-03-02', 2), bin('2019-03-03', '2019-03-04', 1)],
    })
  })

  it('takes the finest interval that needs no more than the given number of bins', async engines => {
    const engine = await engines.openWith(acquired('a', '2017-12-31T12:00Z'), acquired('b', '2018-02-15T12:00Z'))
    const interval = async (maxBins: number) => (await engine.captureHistogram({ maxBins })).interval
    deepEqual(await Promise.all([2_000, 1_000, 40, 10].map(interval)), ['hour', 'day', 'week', 'week'])
    deepEqual((await engine.captureHistogram({ maxBins: 10 })).bins, [
      bin('2017-12-25', '2018-01-01', 1),
      bin('2018-02-12', '2018-02-19', 1),
    ])
  })

  it('counts by months and years where the history is long', async engines => {
    const engine = await engines.openWith(acquired('a', '2011-05-05'), acquired('b', '2019-05-05'))
    deepEqual((await engine.captureHistogram({ maxBins: 150 })).bins, [
      bin('2011-05-01', '2011-06-01', 1),
      bin('2019-05-01', '2019-06-01', 1),
    ])
    deepEqual((await engine.captureHistogram({ maxBins: 10 })).bins, [
      bin('2011-01-01', '2012-01-01', 1),
      bin('2019-01-01', '2020-01-01', 1),
    ])
  })

  it('knows the first years of the calendar, and those before it', async engines => {
    const engine = await engines.openWith(
      acquired('a', Date.parse('-200000-03-01')),
      acquired('b', '0001-05-05'),
      acquired('c', '0099-12-31'),
      acquired('d', '2019-05-05'),
    )
    deepEqual(await engine.captureHistogram({ maxBins: 10 }), {
      interval: 'year',
      bins: [
        bin('-200000-01-01', '-199999-01-01', 1),
        bin('0001-01-01', '0002-01-01', 1),
        bin('0099-01-01', '0100-01-01', 1),
        bin('2019-01-01', '2020-01-01', 1),
      ],
    })
    for (const path of ['a', 'c', 'd']) await engine.purge(testUrl(path))
    await engine.add([acquired('e', '0001-08-05')])
    deepEqual((await engine.captureHistogram({ maxBins: 10 })).bins, [
      bin('0001-05-01', '0001-06-01', 1),
      bin('0001-08-01', '0001-09-01', 1),
    ])
  })

  it('does not count purged captures, and has no bins for an empty index', async engines => {
    const engine = await engines.openWith(acquired('a', '2019-03-01'), acquired('b', '2019-03-02'))
    await engine.purge(testUrl('a'))
    deepEqual(
      (await engine.captureHistogram()).bins.map(({ captures }) => captures),
      [1],
    )
    await engine.purge(testUrl('b'))
    deepEqual((await engine.captureHistogram()).bins, [])
  })

  it('rejects a number of bins out of range', async engines => {
    const engine = await engines.open()
    for (const maxBins of [9, 2_001, 10.5])
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.captureHistogram({ maxBins }))
  })
}
