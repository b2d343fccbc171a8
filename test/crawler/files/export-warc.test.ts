import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WARCParser, WARCRecord, WARCSerializer } from 'warcio'
import { type CaptureInput, type Engine, type ObservationInput, open } from '../../../core/index.ts'
import { exportWarc } from '../../../crawler/files/export-warc.ts'
import { importWarc } from '../../../crawler/files/import-warc.ts'
import { listObservations } from '../../../crawler/files/list-observations.ts'

let engines: Engine[]
beforeEach(() => {
  engines = []
})
afterEach(async () => {
  for (const engine of engines) await engine.close()
})

const engine = async (): Promise<Engine> => {
  const opened = await open(':memory:')
  engines.push(opened)
  return opened
}

const kept = async (of: Engine): Promise<ObservationInput[]> => {
  const observations: ObservationInput[] = []
  for await (const observation of listObservations(of)) observations.push(observation)
  return observations
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(each => each.trim() !== '')
const capture: fc.Arbitrary<CaptureInput> = fc
  .record(
    {
      url: fc.constantFrom('https://a.org/', 'https://a.org/b?c=1', 'https://ü.example/é'),
      acquiredAt: fc.integer({ min: -1e11, max: 1.7e12 }),
      markdown: fc.array(text, { minLength: 1, maxLength: 4 }).map(lines => lines.join('\n\n')),
      title: text,
      author: text,
      description: text,
      lang: fc.constantFrom('en', 'zh-Hant'),
      siteName: text,
      publishedAt: fc.integer({ min: -1e12, max: -1e11 }),
      kind: fc.constantFrom('article' as const, 'docs' as const),
      fields: fc.record(
        {
          price: fc.float({ noNaN: true, noDefaultInfinity: true }),
          tag: text,
          seen: fc.date({ noInvalidDate: true }),
        },
        { requiredKeys: ['price'] },
      ),
      data: fc.array(fc.record({ '@type': text, name: text }), { maxLength: 2 }),
    },
    { requiredKeys: ['url', 'acquiredAt', 'markdown'] },
  )
  .map(given => JSON.parse(JSON.stringify(given)) as CaptureInput)

describe('exporting WARC', () => {
  it('writes a file from which an import restores the same captures, gzipped or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(capture, { maxLength: 12 }), fc.boolean(), async (captures, gzip) => {
        const [before, after] = [await engine(), await engine()]
        await before.add(captures)
        const report = await importWarc(after, exportWarc(before, { gzip }))
        const expected = await kept(before)
        expect(report).toMatchObject({ read: expected.length, failed: 0, warnings: 0 })
        expect(await kept(after)).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  })
  it('writes every change of metadata with its own instant', async () => {
    const [before, after] = [await engine(), await engine()]
    const lamp = { url: 'https://a.org/lamp', title: 'Lamp', markdown: 'A lamp.' }
    await before.add([
      { ...lamp, acquiredAt: 1000, data: [{ '@type': 'Product', offers: { price: 20 } }] },
      { ...lamp, acquiredAt: 2000, data: [{ '@type': 'Product', offers: { price: 25 } }] },
      { ...lamp, acquiredAt: 3000, publishedAt: 2500, siteName: 'Shop' },
      { ...lamp, acquiredAt: 4000, markdown: 'A chair.' },
    ])
    expect(await importWarc(after, exportWarc(before))).toMatchObject({ read: 4, added: 2, revised: 2 })
    const expected = await kept(before)
    expect(expected).toMatchObject([1000, 2000, 3000, 4000].map(acquiredAt => ({ acquiredAt })))
    expect(await kept(after)).toEqual(expected)
  })
  it('writes standard records: Markdown resources, dated when they were acquired', async () => {
    const index = await engine()
    await index.add([{ url: 'https://a.org/', markdown: '# Été', title: 'Été', acquiredAt: 1234 }])
    const records: unknown[] = []
    for await (const record of new WARCParser(exportWarc(index)))
      records.push([
        record.warcType,
        record.warcTargetURI,
        record.warcDate,
        record.warcContentType,
        await record.contentText(),
      ])
    expect(records[0]).toContain('warcinfo')
    expect(records.slice(1)).toEqual([
      ['resource', 'https://a.org/', '1970-01-01T00:00:01.234Z', 'text/markdown; charset=utf-8', '# Été'],
    ])
  })
  it('ends between two records when the signal aborts', async () => {
    const index = await engine()
    await index.add(Array.from({ length: 5 }, (_, i) => ({ url: `https://a.org/${i}`, markdown: `Number ${i}` })))
    const stop = new AbortController()
    let chunks = 0
    for await (const _ of exportWarc(index, { signal: stop.signal })) if (++chunks === 3) stop.abort()
    expect(chunks).toBe(3)
  })
})

describe('the metadata of a WARC record', () => {
  const importOne = async (metadata: string) => {
    const made = WARCRecord.create(
      {
        url: 'https://a.org/',
        date: '2019-03-04T05:06:07Z',
        type: 'resource',
        warcHeaders: { 'Content-Type': 'text/markdown', 'WARC-JSON-Metadata': metadata },
      },
      [Buffer.from('Words enough.')],
    )
    return await importWarc(await engine(), Readable.from([await WARCSerializer.serialize(made)]))
  }
  it('is ignored if other software wrote it', async () => {
    expect(await importOne('{"page":"1"}')).toMatchObject({ added: 1, failed: 0 })
  })
  it('makes only its own record fail if it is not what an export writes', async () => {
    for (const metadata of [
      '{',
      '{"asof":{"title":1}}',
      '{"asof":{"title":"a","kind":"b"}}',
      '{"asof":{"title":"a","data":3}}',
    ])
      expect(await importOne(metadata)).toMatchObject({ added: 0, failed: 1 })
  })
})
