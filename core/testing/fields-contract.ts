import { deepEqual } from 'node:assert/strict'
import { type ContractIt, page, rejectsWith, testUrl } from './test-engines.ts'

export function fieldsContract(it: ContractIt): void {
  it('names each field with its type, its pages, and the values that most pages have', async engines => {
    const released = new Date('2025-05-01T10:00:00Z')
    const engine = await engines.openWith(
      page('a', 'red lamp', { fields: { price: 10, tags: ['wall', '10'], sold: true } }),
      page('b', 'blue lamp', { fields: { price: 20, tags: 'wall', released } }),
      page('c', 'about us'),
    )
    deepEqual(await engine.fields(), [
      {
        name: 'price',
        type: 'number',
        pages: 2,
        examples: [
          { value: 10, count: 1 },
          { value: 20, count: 1 },
        ],
      },
      { name: 'released', type: 'instant', pages: 1, examples: [{ value: '2025-05-01T10:00:00.000Z', count: 1 }] },
      { name: 'sold', type: 'boolean', pages: 1, examples: [{ value: true, count: 1 }] },
      {
        name: 'tags',
        type: 'keyword',
        pages: 2,
        examples: [
          { value: 'wall', count: 2 },
          { value: '10', count: 1 },
        ],
      },
    ])
    deepEqual(
      (await engine.fields({ maxExamples: 1 })).map(({ examples }) => examples.length),
      [1, 1, 1, 1],
    )
    deepEqual(
      (await engine.fields({ maxExamples: 0 })).map(({ examples }) => examples),
      [[], [], [], []],
    )
  })

  it('knows the fields as of every instant, revisions and removals included', async engines => {
    const engine = await engines.openWith(
      page('a', 'red lamp', { fields: { color: 'red' }, acquiredAt: '2019-01-01' }),
      page('a', 'red lamp', { fields: { shade: 'dark' }, acquiredAt: '2020-01-01' }),
      page('b', 'blue lamp', { fields: { color: 'blue', size: 4 }, acquiredAt: '2021-01-01' }),
    )
    await engine.remove(testUrl('b'), { at: '2022-01-01' })
    const names = async (queryTime?: string) => (await engine.fields({ queryTime })).map(({ name }) => name)
    deepEqual(await names('2018-01-01'), [])
    deepEqual(await names('2019-06-01'), ['color'])
    deepEqual(await names('2020-06-01'), ['shade'])
    deepEqual(await names('2021-06-01'), ['color', 'shade', 'size'])
    deepEqual(await names(), ['shade'])
    deepEqual(
      (await engine.sealed('2019-06-01').fields()).map(({ name }) => name),
      ['color'],
    )
    await engine.purge(testUrl('a'))
    deepEqual(await names('2021-06-01'), ['color', 'size'])
    await engine.add([page('c', 'green lamp', { fields: { weight: 1 } })])
    deepEqual(await names(), ['weight'])
  })

  it('leaves long values out of the examples', async engines => {
    const fields = { code: ['x'.repeat(64), 'y'.repeat(65)] }
    const engine = await engines.openWith(page('a', 'red lamp', { fields }))
    deepEqual(await engine.fields(), [
      { name: 'code', type: 'keyword', pages: 1, examples: [{ value: 'x'.repeat(64), count: 1 }] },
    ])
  })

  it('rejects options that are wrong', async engines => {
    const engine = await engines.open()
    for (const maxExamples of [-1, 21, 1.5])
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.fields({ maxExamples }), 'maxExamples')
    await rejectsWith('ASOF_INVALID_TIME', () => engine.fields({ queryTime: 'soon' }))
    deepEqual(await engine.fields(), [])
  })
}
