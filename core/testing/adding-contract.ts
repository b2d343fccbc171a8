import { deepEqual, equal } from 'node:assert/strict'
import type { CaptureInput } from '../page.ts'
import { type ContractIt, found, page, rejectsWith, SECOND_MS, START_AT, testUrl } from './test-engines.ts'

export function addingContract(it: ContractIt): void {
  it('makes captures searchable before it resolves', async engines => {
    const engine = await engines.open()
    const report = await engine.add([page('a', 'red fox'), page('b', 'blue whale')])
    deepEqual(report, {
      added: 2,
      revised: 0,
      unchanged: 0,
      removed: 0,
      failures: [],
      warnings: [],
      withoutText: [],
      replaced: [],
    })
    deepEqual(await found(engine, 'fox'), [testUrl('a')])
    const { captures, urls } = await engine.stats()
    deepEqual({ captures, urls }, { captures: 2, urls: 2 })
  })

  it('accepts an async iterable', async engines => {
    const engine = await engines.open()
    async function* captures(): AsyncGenerator<CaptureInput> {
      yield page('a', 'red fox')
    }
    equal((await engine.add(captures())).added, 1)
  })

  it('counts other metadata as a revision, and the same content as unchanged', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += SECOND_MS
    equal((await engine.add([page('a', 'red fox', { author: 'Ann' })])).revised, 1)
    engines.now += SECOND_MS
    equal((await engine.add([page('a', 'red fox', { author: 'Ann' })])).unchanged, 1)
    equal((await engine.stats()).captures, 1)
  })

  it('reports a capture that is invalid, and adds the others', async engines => {
    const engine = await engines.open()
    const report = await engine.add([{ url: 'nowhere', text: 'x' }, page('a', 'red fox'), { url: testUrl('b') }])
    equal(report.added, 1)
    deepEqual(
      report.failures.map(({ url, code }) => [url, code]),
      [
        ['nowhere', 'ASOF_INVALID_URL'],
        [testUrl('b'), 'ASOF_INVALID_CAPTURE'],
      ],
    )
  })

  it('rejects captures that are not iterable', async engines => {
    const engine = await engines.open()
    const single = page('a', 'red fox') as unknown as CaptureInput[]
    await rejectsWith('ASOF_INVALID_CAPTURE', () => engine.add(single))
  })

  it('rejects a declared acquiredAt in the future as a failure of that capture', async engines => {
    const engine = await engines.open()
    const { added, failures } = await engine.add([page('a', 'red fox', { acquiredAt: START_AT + 3600 * SECOND_MS })])
    deepEqual([added, failures.length], [0, 1])
  })
}
