import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'

const linesOf = async (engine: Engine): Promise<string[]> => {
  const lines: string[] = []
  for await (const line of exportJsonl(engine)) lines.push(line)
  return lines
}

it('exports JSON Lines from which an import restores the same histories', async () => {
  const before = await open(':memory:')
  const after = await open(':memory:')
  await before.add([
    { url: 'https://a.org/', markdown: '# One\n\n“Quoted”.', title: 'One', author: 'A', acquiredAt: 1000 },
    { url: 'https://a.org/', markdown: '# Two', title: 'Two', publishedAt: 1500, acquiredAt: 2000 },
    { url: 'https://b.org/', markdown: 'Plain', title: 'Three', description: 'D', acquiredAt: 3000 },
  ])
  const lines = await linesOf(before)
  expect(lines.map(line => JSON.parse(line).title)).toEqual(['One', 'Two', 'Three'])
  // The order of the lines does not matter.
  lines.reverse()
  const report = await importJsonl(after, Readable.from(lines.map(line => Buffer.from(line))))
  expect(report).toMatchObject({ read: 3, added: 3, failed: 0 })
  expect(await linesOf(after)).toEqual(lines.reverse())
  await before.close()
  await after.close()
})

it('exports texts of fields, so that an import finds their words as of each instant', async () => {
  const before = await open(':memory:')
  const after = await open(':memory:')
  const lamp = { url: 'https://a.org/lamp', title: 'Lamp', markdown: 'A lamp for the desk.' }
  await before.add([
    { ...lamp, acquiredAt: 1000, fields: { notes: [{ $text: 'marmalade' }, { $text: 'tea' }] } },
    { ...lamp, acquiredAt: 2000, fields: { notes: { $text: 'a lantern' } } },
  ])
  const lines = await linesOf(before)
  const report = await importJsonl(after, Readable.from(lines.map(line => Buffer.from(line))))
  expect(report).toMatchObject({ read: 2, added: 2, revised: 0 })
  for (const queryTime of [1500, 2500])
    for (const query of ['marmalade', 'lantern']) {
      const [one, other] = [await before.search(query, { queryTime }), await after.search(query, { queryTime })]
      expect(one.results).toHaveLength(Number((queryTime === 1500) === (query === 'marmalade')))
      expect(other.results).toEqual(one.results)
    }
  await before.close()
  await after.close()
})

it('exports every change of metadata with its instant, so that an import gives the same answers as of each', async () => {
  const before = await open(':memory:')
  const after = await open(':memory:')
  const lamp = { url: 'https://a.org/lamp', title: 'Lamp', markdown: 'A lamp for the desk.' }
  await before.add([
    {
      ...lamp,
      acquiredAt: 1000,
      lang: 'en',
      data: [{ '@type': 'Product', offers: { price: 20 } }],
      fields: { price: 20, tags: ['a', 'b'], sold: false, seen: new Date(500) },
    },
    { ...lamp, acquiredAt: 2000, siteName: 'Shop', kind: 'article', author: 'A. Smith', fields: { price: 10 } },
    { ...lamp, acquiredAt: 3000, publishedAt: 2500, publishedFrom: { source: 'meta', precision: 'minute' } },
    { ...lamp, acquiredAt: 4000, markdown: 'A chair.' },
  ])
  const lines = await linesOf(before)
  expect(lines.map(line => JSON.parse(line).acquired_at)).toEqual(
    [1000, 2000, 3000, 4000].map(at => new Date(at).toISOString()),
  )
  const report = await importJsonl(after, Readable.from(lines.map(line => Buffer.from(line))))
  expect(report).toMatchObject({ read: 4, added: 2, revised: 2, unchanged: 0, warnings: 0 })
  for (const queryTime of [1500, 2500, 3500, 4500]) {
    expect(await after.page(lamp.url, { queryTime })).toEqual(await before.page(lamp.url, { queryTime }))
    const filter = { any: [{ price: { lt: 15 } }, { seen: '1970-01-01T00:00:00.500Z' }] }
    const answers = [
      await before.search('lamp', { filter, queryTime }),
      await after.search('lamp', { filter, queryTime }),
    ]
    expect(answers[1]?.results).toEqual(answers[0]?.results)
    for (const query of ['lamp chair', 'author:smith OR type:product OR lang:en', 'published:[1970-01-01 TO *]']) {
      const options = { mode: 'webql' as const, queryTime }
      const [one, other] = [await before.search(query, options), await after.search(query, options)]
      expect(other.results).toEqual(one.results)
      expect(other.receipt.captures).toBe(one.receipt.captures)
    }
  }
  await before.close()
  await after.close()
})
