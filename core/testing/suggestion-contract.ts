import { deepEqual, ok } from 'node:assert/strict'
import { type ContractIt, page, rejectsWith, testUrl } from './test-engines.ts'

export function suggestionContract(it: ContractIt): void {
  it('suggests titles and sites with words that begin like the text', async engines => {
    const engine = await engines.openWith(page('a', 'text', { title: 'Harvest time' }))
    deepEqual(await engine.suggest('harv'), [{ kind: 'title', text: 'Harvest time', url: testUrl('a') }])
    ok((await engine.suggest('exam')).some(({ kind, text }) => kind === 'site' && text === 'example.com'))
    deepEqual(await engine.suggest('winter'), [])
  })

  it('never suggests a page that was removed or purged', async engines => {
    const engine = await engines.openWith(
      page('a', 'text', { title: 'Harvest one' }),
      page('b', 'text', { title: 'Harvest two' }),
    )
    await engine.suggest('harvest')
    await engine.remove(testUrl('a'))
    await engine.purge(testUrl('b'))
    deepEqual(await engine.suggest('harvest'), [])
  })

  it('suggests the titles that were current at queryTime', async engines => {
    const engine = await engines.openWith(
      page('a', 'text', { title: 'Harvest one', acquiredAt: '2020-01-01' }),
      page('a', 'other', { title: 'Harvest two', acquiredAt: '2021-01-01' }),
      page('b', 'text', { title: 'Harvest three', acquiredAt: '2022-01-01' }),
    )
    const titles = async (queryTime?: string) =>
      (await engine.suggest('harvest', { queryTime })).filter(({ kind }) => kind === 'title').map(({ text }) => text)
    deepEqual(await titles('2019-01-01'), [])
    deepEqual(await titles('2020-06-01'), ['Harvest one'])
    deepEqual(await titles('2021-06-01'), ['Harvest two'])
    deepEqual(await titles(), ['Harvest three', 'Harvest two'])
    await engine.purge(testUrl('a'))
    deepEqual(await titles('2021-06-01'), [])
    await rejectsWith('ASOF_INVALID_TIME', () => engine.suggest('harvest', { queryTime: 'soon' }))
  })

  it('suggests nothing for a text without words', async engines => {
    const engine = await engines.openWith(page('a', 'text', { title: 'Harvest time' }))
    for (const text of ['', ' ', '!']) deepEqual(await engine.suggest(text), [])
  })

  it('rejects a text that is too long and a limit out of range', async engines => {
    const engine = await engines.open()
    await rejectsWith('ASOF_INVALID_QUERY', () => engine.suggest('x'.repeat(201)))
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.suggest('a', { maxResults: 51 }), 'maxResults')
  })
}
