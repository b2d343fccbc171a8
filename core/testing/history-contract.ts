import { deepEqual, equal } from 'node:assert/strict'
import type { Engine } from '../engine/engine.ts'
import type { Observation } from '../page.ts'
import {
  type ContractIt,
  listed,
  page,
  rejectsWith,
  SECOND_MS,
  START_AT,
  type TestEngines,
  testUrl,
} from './test-engines.ts'

/** Opens an engine with a page that is added, revised, changed, removed and added again, one second apart. */
async function openWithHistory(engines: TestEngines): Promise<Engine> {
  const engine = await engines.openWith(page('a', 'one'))
  engines.now = START_AT + SECOND_MS
  await engine.add([page('a', 'one', { author: 'Ann' })])
  engines.now = START_AT + 2 * SECOND_MS
  await engine.add([page('a', 'two', { author: 'Ann' })])
  engines.now = START_AT + 3 * SECOND_MS
  await engine.remove(testUrl('a'))
  engines.now = START_AT + 4 * SECOND_MS
  await engine.add([page('a', 'three')])
  engines.now = START_AT + 5 * SECOND_MS
  return engine
}

const expectedKinds = ['capture', 'revision', 'capture', 'removal', 'capture']

async function exported(engine: Engine, maxResults: number): Promise<Observation[]> {
  const observations: Observation[] = []
  let cursor: string | undefined
  do {
    const slice = await engine.export({ maxResults, cursor })
    observations.push(...slice.observations)
    cursor = slice.next
  } while (cursor !== undefined)
  return observations
}

export function historyContract(it: ContractIt): void {
  it('page returns text and metadata as of queryTime', async engines => {
    const engine = await openWithHistory(engines)
    const at = (seconds: number) => engine.page(testUrl('a'), { queryTime: START_AT + seconds * SECOND_MS })
    equal(await engine.page(testUrl('a'), { queryTime: START_AT - 1 }), undefined)
    const [first, second, third, removed, last] = await Promise.all([0, 1, 2, 3, 4].map(at))
    deepEqual([first?.markdown, first?.author], ['one', undefined])
    deepEqual([second?.markdown, second?.author, second?.revisedAt], ['one', 'Ann', START_AT + SECOND_MS])
    deepEqual([third?.markdown, third?.author], ['two', 'Ann'])
    equal(removed, undefined)
    deepEqual([last?.markdown, last?.acquiredAt], ['three', START_AT + 4 * SECOND_MS])
    deepEqual(await engine.page(testUrl('a')), last)
  })

  it('verify says when a page had the words of a quote', async engines => {
    const engine = await openWithHistory(engines)
    const at = (seconds: number) => START_AT + seconds * SECOND_MS
    const quote = { url: testUrl('a'), quote: 'one' }
    const { verdict, stood } = await engine.verify(quote)
    deepEqual([verdict, stood], ['gone', [{ from: at(0), until: at(2) }]])
    const past = await engine.verifyAll([
      { ...quote, queryTime: at(1) },
      { url: testUrl('none'), quote: 'one' },
    ])
    deepEqual(
      past.map(({ verdict, stood }) => [verdict, stood]),
      [
        ['verbatim', [{ from: at(0) }]],
        ['unknown_page', []],
      ],
    )
  })

  it('page says when a past version was superseded only if it is asked', async engines => {
    const engine = await openWithHistory(engines)
    const past = await engine.page(testUrl('a'), { queryTime: START_AT, supersededAt: true })
    equal(past?.supersededAt, START_AT + SECOND_MS)
    equal((await engine.page(testUrl('a'), { queryTime: START_AT }))?.supersededAt, undefined)
    equal((await engine.page(testUrl('a'), { supersededAt: true }))?.supersededAt, undefined)
  })

  it('page and versions follow an alias', async engines => {
    const engine = await engines.openWith(page('a', 'one', { aliases: [testUrl('short')] }))
    equal((await engine.page(testUrl('short')))?.url, testUrl('a'))
    equal((await engine.history(testUrl('short'))).url, testUrl('a'))
  })

  it('versions lists captures, revisions and removals, oldest first', async engines => {
    const engine = await openWithHistory(engines)
    const { url, versions, next } = await engine.history(testUrl('a'))
    deepEqual([url, next], [testUrl('a'), undefined])
    deepEqual(
      versions.map(({ kind, at }) => [kind, at]),
      expectedKinds.map((kind, i) => [kind, START_AT + i * SECOND_MS]),
    )
    deepEqual(
      versions.map(({ changed }) => changed),
      [[], ['author'], ['text'], [], ['text', 'author']],
    )
    equal(versions.at(-1)?.supersededAt, undefined)
  })

  it('versions returns slices that join to the whole list, and ends at queryTime', async engines => {
    const engine = await openWithHistory(engines)
    const whole = await engine.history(testUrl('a'))
    const joined: typeof whole.versions = []
    let cursor: string | undefined
    do {
      const slice = await engine.history(testUrl('a'), { maxResults: 2, cursor })
      joined.push(...slice.versions)
      cursor = slice.next
    } while (cursor !== undefined)
    deepEqual(joined, whole.versions)
    deepEqual(await listed(engine.versions(testUrl('a'))), whole.versions)
    const early = await engine.history(testUrl('a'), { queryTime: START_AT + SECOND_MS })
    deepEqual(await listed(engine.versions(testUrl('a'), { queryTime: START_AT + SECOND_MS })), early.versions)
    deepEqual(
      early.versions.map(({ kind }) => kind),
      ['capture', 'revision'],
    )
    equal(early.versions.at(-1)?.supersededAt, undefined)
  })

  it('timeline lists when each version began, and is undefined for an unknown URL', async engines => {
    const engine = await openWithHistory(engines)
    const expected = expectedKinds.map((kind, i) => ({ kind, at: START_AT + i * SECOND_MS }))
    deepEqual((await engine.timeline(testUrl('a')))?.versions, expected)
    equal(await engine.timeline(testUrl('unknown')), undefined)
    deepEqual((await engine.history(testUrl('unknown'))).versions, [])
  })

  it('history exports every observation of every page once, whatever the size of its slices', async engines => {
    const engine = await openWithHistory(engines)
    await engine.add([page('b', 'other')])
    const whole = await exported(engine, 1000)
    deepEqual(
      whole.map(observation => [observation.url, 'markdown' in observation ? observation.markdown : 'none']),
      [
        [testUrl('a'), 'one'],
        [testUrl('a'), 'one'],
        [testUrl('a'), 'two'],
        [testUrl('a'), 'none'],
        [testUrl('a'), 'three'],
        [testUrl('b'), 'other'],
      ],
    )
    deepEqual(whole[3], { observed: 'removal', url: testUrl('a'), removedAt: START_AT + 3 * SECOND_MS })
    deepEqual(
      whole.map(({ observed }) => observed),
      [...expectedKinds, 'capture'],
    )
    for (const limit of [1, 2, 3]) deepEqual(await exported(engine, limit), whole)
    deepEqual(await listed(engine.exportAll()), whole)
  })

  it('history gives another engine the same pages, removals, sightings and aliases as of every instant', async engines => {
    const engine = await openWithHistory(engines)
    await engine.add([page('a', 'three', { aliases: [testUrl('short')] })])
    engines.now += SECOND_MS
    await engine.markSeen(testUrl('a'))
    engines.now += SECOND_MS
    const observations = await exported(engine, 1000)
    const copy = await engines.open()
    const { failures, warnings, removed } = await copy.add(observations)
    deepEqual([failures, warnings, removed], [[], [], 1])
    deepEqual(await exported(copy, 1000), observations)
    for (let seconds = 0; seconds <= 7; seconds++) {
      const queryTime = START_AT + seconds * SECOND_MS
      for (const name of ['a', 'short'])
        deepEqual(await copy.page(testUrl(name), { queryTime }), await engine.page(testUrl(name), { queryTime }))
      const [first, second] = await Promise.all([engine, copy].map(each => each.search('one two three', { queryTime })))
      deepEqual(second?.results, first?.results)
      equal(second?.receipt.captures, first?.receipt.captures)
    }
  })

  it('rejects invalid URLs, times, limits and cursors with their codes', async engines => {
    const engine = await openWithHistory(engines)
    for (const call of [engine.page, engine.history, engine.timeline].map(method => method.bind(engine)))
      await rejectsWith('ASOF_INVALID_URL', () => call('nowhere'))
    await rejectsWith('ASOF_INVALID_TIME', () => engine.page(testUrl('a'), { queryTime: 'never' }))
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.history(testUrl('a'), { maxResults: 0 }), 'maxResults')
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.history(testUrl('a'), { cursor: 'x' }), 'cursor')
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.export({ maxResults: 1001 }), 'maxResults')
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.export({ cursor: 'x' }), 'cursor')
  })
}
