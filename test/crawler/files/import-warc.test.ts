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
  const head =
    type === 'resource'
      ? { warcHeaders: { 'Content-Type': 'text/html' } }
      : { statusline: `HTTP/1.1 ${status ?? '200 OK'}`, httpHeaders: { 'content-type': 'text/html', ...headers } }
  const made = WARCRecord.create(
    {
      url,
      date,
      type,
      warcVersion: 'WARC/1.1',
      ...refersTo,
      ...head,
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
  it('imports what the bytes show to be a page where the type says nothing, and skips other files', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    const report = await load(
      await all(
        { url: 'https://a.org/page', body: page('First'), headers },
        { url: 'https://a.org/program', body: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]), headers },
        { url: 'https://a.org/none', body: page('Second'), headers: { 'content-type': 'unknown/unknown' } },
      ),
    )
    expect(report).toMatchObject({ read: 2, added: 2, failed: 0 })
    expect((await engine.page('https://a.org/page'))?.title).toBe('First')
    expect(await engine.page('https://a.org/program')).toBeUndefined()
  })
  it('skips records that are not pages: other statuses, types, kinds of records and schemes', async () => {
    const report = await load(
      await all(
        { url: 'https://a.org/404', body: 'gone', status: '404 Not Found' },
        { url: 'https://a.org/moved', body: '', status: '301 Moved', headers: { location: '/' } },
        { url: 'https://a.org/x.png', body: 'PNG', headers: { 'content-type': 'image/png' } },
        { url: 'https://a.org/y.png', body: '', type: 'revisit', headers: { 'content-type': 'image/png' } },
        { url: 'dns:a.org', body: 'a.org 1.2.3.4', type: 'resource' },
        { url: 'https://a.org/', body: page('Page') },
      ),
    )
    expect(report).toMatchObject({ read: 1, added: 1, failed: 0 })
  })
  it('gives a revisit the content of the other URL that it refers to, before and after that record, and by digest', async () => {
    const at = '2019-01-01T00:00:00Z'
    const copy = { body: '', type: 'revisit' as const, refersToUrl: 'https://a.org/', refersToDate: at }
    const original = await record({ url: 'https://a.org/', body: page('Original'), date: at })
    const digest = /WARC-Payload-Digest: \S+/.exec(original.toString())?.[0] ?? ''
    const byDigest = await record({ url: 'https://a.org/by-digest', body: '', type: 'revisit' })
    const report = await load(
      Buffer.concat([
        await record({ url: 'https://a.org/before', ...copy }),
        original,
        await record({ url: 'https://a.org/after', ...copy }),
        Buffer.from(byDigest.toString().replace('\r\n', `\r\n${digest}\r\n`)),
        await record({ url: 'https://a.org/image', ...copy, headers: { 'content-type': 'image/png' } }),
        await record({ url: 'https://a.org/missing', ...copy, refersToDate: '2018-01-01T00:00:00Z' }),
      ]),
    )
    expect(report).toMatchObject({ read: 5, added: 4, failed: 1 })
    expect(report.failures).toMatchObject([{ where: 'record 6', url: 'https://a.org/missing' }])
    expect(report.failures[0]?.message).toMatch(/https:\/\/a\.org\/ at 2018-01-01.*import the file/)
    for (const name of ['before', 'after', 'by-digest'])
      expect(await engine.page(`https://a.org/${name}`)).toMatchObject({
        title: 'Original',
        acquiredAt: Date.parse('2019-03-04T05:06:07Z'),
      })
  })
  it('reads records with line feeds alone, also where the lengths are those of CR LF', async () => {
    const file = (
      await all(...['One', 'Two'].map(name => ({ url: `https://a.org/${name}`, body: page(name) })))
    ).toString()
    const lf = file.replaceAll('\r\n', '\n')
    // Only the head of the HTTP response has line ends: its status line, content-type and the empty line.
    const measured = lf.replace(/Content-Length: (\d+)/g, (_, length) => `Content-Length: ${Number(length) - 3}`)
    for (const [text, step] of [
      [measured, 7],
      [lf, 1000],
      [lf, 13],
    ] as const) {
      await engine.close()
      engine = await open(':memory:')
      expect(await load(Buffer.from(text), {}, step)).toMatchObject({ read: 2, added: 2, failed: 0 })
      const { markdown, title } = (await engine.page('https://a.org/One')) ?? {}
      expect(title).toBe('One')
      expect(markdown).not.toContain('WARC')
    }
  })
  it('reads responses without HTTP headers, without a status line or without an empty line after the headers', async () => {
    const made = (n: number, block: string, fields = 'WARC-Type: response\r\nContent-Type: application/http') =>
      `WARC/1.0\r\n${fields}\r\nWARC-Target-URI: <https://a.org/${n}>\r\nWARC-Date: 20190304050607\r\nContent-Length: ${Buffer.byteLength(block)}\r\n\r\n${block}\r\n\r\n`
    const report = await load(
      Buffer.from(
        [
          made(1, `HTTP/1.1 200 OK\r\n\r\n${page('Number 1')}`),
          made(2, page('Number 2')),
          made(3, `HTTP/1.0 200\nServer: x\nContent-Type: text/html\n${page('Number 3')}`),
          made(4, page('Number 4'), 'WARC-Type: resource'),
          made(5, 'Only words', 'WARC-Type: conversion\r\nContent-Type: text/plain'),
          made(6, 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
        ].join(''),
      ),
    )
    expect(report).toMatchObject({ read: 6, added: 5, failed: 1 })
    expect(report.failures).toMatchObject([{ where: 'record 6', message: 'the response has no body' }])
    for (const n of [1, 2, 3, 4]) expect((await engine.page(`https://a.org/${n}`))?.title).toBe(`Number ${n}`)
    expect((await engine.page('https://a.org/5'))?.markdown).toBe('Only words')
    expect((await engine.page('https://a.org/1'))?.acquiredAt).toBe(Date.UTC(2019, 2, 4, 5, 6, 7))
  })
  it('leaves out a conversion of a record that is in the file', async () => {
    const original = await record({ url: 'https://a.org/', body: page('Original') })
    const id = /<urn:uuid:[^>]+>/.exec(original.toString())?.[0]
    const text = `WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Refers-To: ${id}\r\nWARC-Target-URI: https://a.org/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nText\r\n\r\n`
    expect(await load(Buffer.concat([original, Buffer.from(text)]))).toMatchObject({ read: 1, added: 1 })
  })
  it('reads bodies that were stored decoded as they are, whatever their headers declare', async () => {
    const declared = ['gzip', 'br', 'deflate', 'zstd', 'gzip, br', 'none', 'x-snappy']
    const report = await load(
      await all(
        ...declared.map((encoding, n) => ({
          url: `https://a.org/${n}`,
          body: page(`Number ${n}`),
          headers: { 'content-encoding': encoding, 'transfer-encoding': 'chunked' },
        })),
        { url: 'https://a.org/undeclared', body: gzipSync(page('Undeclared')) },
        { url: 'https://a.org/broken', body: Buffer.alloc(300, 1), headers: { 'content-encoding': 'br' } },
      ),
    )
    expect(report).toMatchObject({ read: 9, added: 8, failed: 1 })
    expect(report.failures).toMatchObject([{ url: 'https://a.org/broken', code: 'ASOF_FETCH_UNREACHABLE' }])
    for (const n of declared.keys()) expect((await engine.page(`https://a.org/${n}`))?.title).toBe(`Number ${n}`)
    expect((await engine.page('https://a.org/undeclared'))?.title).toBe('Undeclared')
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
  it('counts revisits whose content is in neither the file nor the index, and makes no pages of them', async () => {
    const seen = { body: '', type: 'revisit' as const }
    const same = 'https://a.org/same'
    const profile = (text: Buffer) =>
      Buffer.from(text.toString().replace(/^(WARC-Profile: ).*\r\n/m, '$1urn:other\r\n'))
    const parts = [
      await record({ url: 'https://a.org/known', body: page('Known'), date: '2015-01-01T00:00:00Z' }),
      await record({ url: 'https://a.org/known', ...seen }),
      await record({ url: 'https://a.org/typed', ...seen }),
      await record({ url: 'https://a.org/typed', ...seen, date: '2020-01-01T00:00:00Z' }),
      await record({ url: 'https://a.org/untyped', ...seen, headers: { 'content-type': 'unknown' } }),
      profile(await record({ url: 'https://a.org/profile', ...seen })),
      await record({ url: same, ...seen, refersToUrl: same, refersToDate: '2015-01-01T00:00:00Z' }),
      await record({ url: 'https://a.org/y.png', ...seen, headers: { 'content-type': 'image/png' } }),
    ]
    const report = await load(Buffer.concat(parts))
    const names = ['profile', 'typed', 'typed', 'untyped', 'same']
    expect(report).toMatchObject({ added: 1, failed: 0, unresolvedRevisits: names.length })
    expect(report.unresolvedRevisitUrls).toEqual(names.map(name => `https://a.org/${name}`))
    expect((await engine.stats()).urls).toBe(1)
    // Each is counted until the page itself is in the index.
    const again = [await record({ url: 'https://a.org/typed', body: page('Typed') }), ...parts.slice(1)]
    expect(await load(Buffer.concat(again))).toMatchObject({ unresolvedRevisits: 3 })
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
    expect(report.failures).toMatchObject([
      { where: 'record 2', url: 'https://a.org/bomb', code: 'ASOF_FETCH_TOO_LARGE' },
    ])
    expect((await engine.page('https://a.org/packed'))?.title).toBe('Packed')
    expect((await engine.page('https://a.org/after'))?.title).toBe('After')
  })
  it('continues after the pages that the option skip names', async () => {
    const file = await all(...[1, 2, 3, 4].map(n => ({ url: `https://a.org/${n}`, body: page(`Number ${n}`) })))
    expect(await load(file, { skip: 3 })).toMatchObject({ read: 4, skipped: 3, added: 1 })
  })
  it('rejects a file that is not a WARC file', async () => {
    await expect(load(Buffer.from('<html>no archive</html>\r\n\r\n'))).rejects.toMatchObject({
      code: 'ASOF_INVALID_CAPTURE',
    })
  })
  it('reports what is not a record, and reads on', async () => {
    const good = await record({ url: 'https://a.org/', body: page('Good') })
    const after = await record({ url: 'https://a.org/after', body: page('After') })
    const endless = Buffer.concat([Buffer.from('WARC/1.0\r\nX: '), Buffer.alloc(4_000_000, 'x'), Buffer.from('\r\n')])
    const report = await load(Buffer.concat([good, endless, after, Buffer.from('junk\n\njunk\n'), good]), {}, 65_536)
    expect(report).toMatchObject({ read: 3, added: 2, unchanged: 1, failed: 2 })
    expect(report.failures.map(({ where }) => where)).toEqual(['record 2', 'after record 3'])
    const cut = await load(Buffer.concat([gzipSync(good), gzipSync(after).subarray(0, 200)]))
    expect(cut).toMatchObject({ unchanged: 1, failed: 1 })
    expect(cut.failures[0]?.message).toMatch(/gzip data is damaged or ends early/)
  })

  it('reports a page that is cut off by the end of the file, and ends there', async () => {
    const first = await record({ url: 'https://a.org/', body: page('Whole') })
    const revisit = await record({ url: 'https://a.org/', body: page('Whole'), type: 'revisit' })
    const cut = await record({ url: 'https://a.org/2', body: page('Cut') })
    expect(await load(Buffer.concat([first, revisit.subarray(0, -20)]))).toMatchObject({ read: 2, added: 1, failed: 1 })
    const report = await load(Buffer.concat([first, cut.subarray(0, -20)]))
    expect(report).toMatchObject({ read: 2, unchanged: 1, failed: 1 })
    expect(report.failures).toMatchObject([{ where: 'record 2', code: 'ASOF_INVALID_CAPTURE' }])
  })
  it('reports a record without a valid Content-Length, and reads on', async () => {
    const good = (await record({ url: 'https://a.org/', body: page('Good') })).toString()
    for (const length of ['x', '-5', '1e3', '']) {
      const bad = good.replace(/Content-Length: \d+/, `Content-Length: ${length}`)
      const report = await load(Buffer.from(bad + good))
      expect(report).toMatchObject({ read: 1, failed: 1 })
      expect(report.failures).toMatchObject([{ where: 'record 1', message: expect.stringContaining('Content-Length') }])
    }
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
