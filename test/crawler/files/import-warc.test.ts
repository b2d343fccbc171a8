import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WARCRecord, WARCSerializer } from 'warcio'
import { type Engine, isAsofError, open } from '../../../core/index.ts'
import { importWarc, type WarcImportOptions } from '../../../crawler/files/import-warc.ts'
import { page } from '../site-server.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

interface Given {
  url: string
  body: Uint8Array | string
  date?: string
  type?: 'response' | 'resource' | 'revisit'
  status?: string
  headers?: Record<string, string>
  refersToUrl?: string
  refersToDate?: string
}

async function record({
  url,
  body,
  date = '2019-03-04T05:06:07Z',
  type = 'response',
  status,
  headers,
  ...refersTo
}: Given) {
  const made = WARCRecord.create(
    {
      url,
      date,
      type,
      warcVersion: 'WARC/1.1',
      ...refersTo,
      ...(type === 'resource'
        ? { warcHeaders: { 'Content-Type': 'text/html' } }
        : { statusline: `HTTP/1.1 ${status ?? '200 OK'}`, httpHeaders: { 'content-type': 'text/html', ...headers } }),
    },
    [typeof body === 'string' ? Buffer.from(body) : body],
  )
  return Buffer.from(await WARCSerializer.serialize(made))
}

const load = (bytes: Uint8Array, options?: WarcImportOptions, step = 1000) =>
  importWarc(
    engine,
    (async function* () {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    })(),
    options,
  )
const all = async (...given: Given[]) => Buffer.concat(await Promise.all(given.map(record)))

describe('importing a WARC file', () => {
  it('imports each page as a capture as of its WARC-Date', async () => {
    const url = 'https://a.org/'
    const report = await load(
      await all(
        { url, body: page('First'), date: '2015-01-01T00:00:00Z' },
        { url, body: page('Second'), date: '2017-06-01T12:00:00.123456789Z' },
        { url: 'https://a.org/resource', body: page('Resource'), type: 'resource' },
      ),
    )
    expect(report).toMatchObject({ read: 3, added: 3, failed: 0 })
    expect((await engine.page(url, { queryTime: '2016-01-01' }))?.title).toBe('First')
    expect((await engine.page(url))?.acquiredAt).toBe(Date.UTC(2017, 5, 1, 12, 0, 0, 123))
    expect(await engine.page(url, { queryTime: '2014-01-01' })).toBeUndefined()
    expect((await engine.page('https://a.org/resource'))?.title).toBe('Resource')
  })
  it('skips records that are not pages: other statuses, types, kinds of records and schemes', async () => {
    const report = await load(
      await all(
        { url: 'https://a.org/404', body: 'gone', status: '404 Not Found' },
        { url: 'https://a.org/moved', body: '', status: '301 Moved', headers: { location: '/' } },
        { url: 'https://a.org/x.png', body: 'PNG', headers: { 'content-type': 'image/png' } },
        { url: 'https://a.org/y.png', body: '', type: 'revisit', headers: { 'content-type': 'image/png' } },
        {
          url: 'https://a.org/copy',
          body: '',
          type: 'revisit',
          refersToUrl: 'https://a.org/',
          refersToDate: '2019-01-01T00:00:00Z',
        },
        { url: 'dns:a.org', body: 'a.org 1.2.3.4', type: 'resource' },
        { url: 'https://a.org/', body: page('Page') },
      ),
    )
    expect(report).toMatchObject({ read: 1, added: 1, failed: 0 })
  })
  it('takes a revisit as a sighting of the content that it refers to', async () => {
    const [url, first, again] = ['https://a.org/', '2015-01-01T00:00:00Z', '2016-01-01T00:00:00Z']
    const seen = { body: '', type: 'revisit' as const }
    const report = await load(
      await all(
        { url, body: page('First'), date: first },
        { url, ...seen, date: again, refersToUrl: 'https://a.org:443', refersToDate: first },
        { url: 'https://a.org/unknown', ...seen, refersToUrl: 'https://a.org/unknown', refersToDate: first },
        { url: 'https://a.org/undated', ...seen },
      ),
    )
    expect(report).toMatchObject({ read: 4, added: 1, unchanged: 3, failed: 0, warnings: 1 })
    expect(report.warned).toMatchObject([{ where: 'record 3', field: 'unchanged_since' }])
    const at = { queryTime: '2016-01-02' }
    expect((await engine.page(url, at))?.lastSeenAt).toBe(Date.parse(again))
    // Other content between the two makes it a version of its own.
    await load(await record({ url, body: page('Between'), date: '2015-06-01T00:00:00Z' }))
    expect((await engine.page(url, at))?.title).toBe('First')
    expect((await engine.page(url, at))?.acquiredAt).toBe(Date.parse(again))
  })
  it('reads files that are gzipped record by record or as a whole, in slices of any size', async () => {
    const records = await Promise.all(
      [1, 2, 3].map(n => record({ url: `https://a.org/${n}`, body: page(`Number ${n}`) })),
    )
    const byRecord = Buffer.concat(records.map(each => gzipSync(each)))
    expect(await load(byRecord, {}, 7)).toMatchObject({ read: 3, added: 3 })
    expect(await load(gzipSync(Buffer.concat(records)), {}, 100_000)).toMatchObject({ read: 3, added: 0, unchanged: 3 })
  })
  it('decodes chunked and encoded bodies, within the size limit', async () => {
    const packed = gzipSync(page('Packed'))
    const chunked = Buffer.concat([
      Buffer.from(`${packed.length.toString(16)}\r\n`),
      packed,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    const headers = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }
    const bomb = gzipSync(Buffer.alloc(3_000_000, 'x'))
    const report = await load(
      await all(
        { url: 'https://a.org/packed', body: chunked, headers },
        { url: 'https://a.org/bomb', body: bomb, headers: { 'content-encoding': 'gzip' } },
        { url: 'https://a.org/after', body: page('After') },
      ),
      { maxBytes: 1_000_000 },
    )
    expect(report).toMatchObject({ read: 3, added: 2, failed: 1 })
    expect(report.errors).toMatchObject([
      { where: 'record 2', url: 'https://a.org/bomb', code: 'ASOF_FETCH_TOO_LARGE' },
    ])
    expect((await engine.page('https://a.org/packed'))?.title).toBe('Packed')
    expect((await engine.page('https://a.org/after'))?.title).toBe('After')
  })
  it('continues after the pages that the option skip names', async () => {
    const file = await all(...[1, 2, 3, 4].map(n => ({ url: `https://a.org/${n}`, body: page(`Number ${n}`) })))
    expect(await load(file, { skip: 3 })).toMatchObject({ read: 4, skipped: 3, added: 1 })
  })
  it('rejects a file that is not a WARC file, or is not from some record on', async () => {
    const good = await record({ url: 'https://a.org/', body: page('Good') })
    await expect(load(Buffer.from('<html>no archive</html>\r\n\r\n'))).rejects.toMatchObject({
      code: 'ASOF_INVALID_CAPTURE',
    })
    const endless = Buffer.concat([good, Buffer.from('WARC/1.0\r\nX: '), Buffer.alloc(4_000_000, 'x')])
    await expect(load(endless, {}, 65_536)).rejects.toMatchObject({ code: 'ASOF_INVALID_CAPTURE' })
    await expect(load(gzipSync(good).subarray(0, 200))).rejects.toMatchObject({ code: 'ASOF_INVALID_CAPTURE' })
  })

  it('reports a page that is cut off by the end of the file, and ends there', async () => {
    const first = await record({ url: 'https://a.org/', body: page('Whole') })
    const revisit = await record({ url: 'https://a.org/', body: page('Whole'), type: 'revisit' })
    const cut = await record({ url: 'https://a.org/2', body: page('Cut') })
    expect(await load(Buffer.concat([first, revisit.subarray(0, -20)]))).toMatchObject({ read: 2, added: 1, failed: 1 })
    const report = await load(Buffer.concat([first, cut.subarray(0, -20)]))
    expect(report).toMatchObject({ read: 2, unchanged: 1, failed: 1 })
    expect(report.errors).toMatchObject([{ where: 'record 2', code: 'ASOF_INVALID_CAPTURE' }])
  })
  it('rejects a record without a valid Content-Length', async () => {
    const good = (await record({ url: 'https://a.org/', body: page('Good') })).toString()
    for (const length of ['x', '-5', '1e3', ''])
      await expect(load(Buffer.from(good.replace(/Content-Length: \d+/, `Content-Length: ${length}`)))).rejects.toThrow(
        /Content-Length/,
      )
  })

  it('accepts any bytes: it returns a report or rejects with a typed error', async () => {
    const good = await all({ url: 'https://a.org/', body: page('Good') }, { url: 'https://a.org/2', body: page('Two') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat({ max: good.length - 1 }), byte: fc.nat({ max: 255 }) }), { maxLength: 8 }),
        async edits => {
          const broken = Buffer.from(good)
          for (const { at, byte } of edits) broken[at] = byte
          try {
            expect((await load(broken)).read).toBeLessThanOrEqual(2)
          } catch (error) {
            expect(isAsofError(error)).toBe(true)
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
