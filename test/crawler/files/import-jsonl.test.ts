import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, extract, open } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { MAX_RECORD_BYTES } from '../../../crawler/files/import-records.ts'
import { pageJson } from '../../../transports/cli/commands/extract.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

async function* chunks(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const load = (...lines: (object | string)[]) =>
  importJsonl(
    engine,
    chunks(Buffer.from(lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))),
  )

describe('JSONL import', () => {
  it('imports one capture per line, however the bytes are cut, with and without a final line end', async () => {
    const line = JSON.stringify({ url: 'https://a.org/', title: 'Ünïcode ☃', markdown: 'Snow ☃ falls' })
    for (const size of [1, 3, 1000]) {
      const report = await importJsonl(
        engine,
        chunks(Buffer.from(`\ufeff${line}\r\n\n   \n${line.replace('a.org', `b${size}.org`)}`), size),
      )
      expect(report).toMatchObject({ read: 2, failed: 0 })
    }
    expect(await engine.page('https://b3.org/')).toMatchObject({ title: 'Ünïcode ☃', markdown: 'Snow ☃ falls' })
  })
  it('counts pages without text and characters that could not be decoded, and lists the first ten', async () => {
    const empty = Array.from({ length: 12 }, (_, i) => ({ url: `https://a.org/${i}`, html: '<img src=x>' }))
    const report = await load(...empty, { url: 'https://a.org/text', text: 'text' })
    expect(report).toMatchObject({ added: 13, failed: 0, withoutText: 12, replacedCharacters: 0, replacedUrls: [] })
    expect(report.withoutTextUrls).toEqual(empty.slice(0, 10).map(({ url }) => url))
    expect((await engine.page('https://a.org/0'))?.title).toBe('')
    expect(
      await engine.add([
        {
          url: 'https://a.org/b',
          text: Buffer.concat([Buffer.from('où le café est fermé: '), Buffer.from('\xe9 \xff', 'latin1')]),
          contentType: 'text/plain; charset=utf-8',
        },
      ]),
    ).toMatchObject({
      withoutText: [],
      replaced: [{ url: 'https://a.org/b', characters: 2 }],
    })
  })
  it('declares removals, sightings and aliases of the past, in any order of the lines', async () => {
    const url = 'https://a.org/'
    const lines = [
      { url, markdown: 'Here', acquired_at: '2020-01-01', aliases: ['https://a.org/home'] },
      { url, seen_at: '2020-06-01', unchanged_since: '2020-01-01' },
      { url, seen_at: '2020-07-01' },
      { url, aliased_at: '2020-02-01', aliases: ['https://a.org/index.html'] },
      { url, removed_at: '2022-03-01' },
    ]
    const report = await load(...lines.slice(1).reverse(), lines[0]!)
    expect(report).toMatchObject({ read: 5, added: 1, unchanged: 3, removed: 1, failed: 0, warnings: 1 })
    expect(report.warned).toMatchObject([{ where: 'https://a.org/', field: 'unchanged_since' }])
    expect(await engine.page(url)).toBeUndefined()
    const queryTime = '2022-02-28'
    expect(await engine.page('https://a.org/home', { queryTime })).toMatchObject({
      url,
      lastSeenAt: Date.UTC(2020, 6, 1),
    })
    expect(await engine.page('https://a.org/index.html', { queryTime })).toMatchObject({ url })
    expect(await engine.page('https://a.org/index.html', { queryTime: '2020-01-31' })).toBeUndefined()
  })
  it('reports a line that declares a removal, sighting or alias wrongly, and imports the others', async () => {
    const url = 'https://a.org/'
    const report = await load(
      { url, removed_at: '2022-03-01', markdown: 'x' },
      { url, removed_at: '2022-03-01', seen_at: '2022-03-01' },
      { url, removed_at: 'then' },
      { url, removed_at: '9000-01-01' },
      { url, seen_at: '2022-03-01', unchanged_since: '2023-01-01' },
      { url, aliased_at: '2022-03-01', aliases: ['nowhere'] },
      { url, aliased_at: '2022-03-01', aliases: 'https://b.org/' },
      { url: 'https://b.org/', markdown: 'Whole' },
    )
    expect(report).toMatchObject({ read: 8, added: 1, failed: 7 })
    expect(report.failures.map(({ where }) => where).sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map(n => `line ${n}`))
  })
  it('names fields in errors and warnings as the line does, and leaves names and values of the caller as they are', async () => {
    const url = 'https://a.org/'
    const { failures, warned } = await load(
      { url, removed_at: '9000-01-01' },
      { url, seen_at: '9000-01-01' },
      { url, seen_at: '2022-03-01', unchanged_since: '2023-01-01' },
      { url, aliased_at: '9000-01-01', aliases: [] },
      { url, text: 'x', acquired_at: '9000-01-01' },
      { url, text: 'x', fields: { seenAt: {} } },
      { url, text: 'x', acquired_at: 'acquiredAt' },
      { url, text: 'x', asof: { publishedFrom: { source: 'guess', precision: 'day' } } },
      { url: 'https://b.org/', text: 'x', acquired_at: '2020-01-01', published_at: '2021-01-01' },
    )
    const messages = failures.toSorted((a, b) => a.where.localeCompare(b.where)).map(({ message }) => message)
    expect(messages).toEqual([
      'removed_at must not be in the future',
      'seen_at must not be in the future',
      'unchanged_since must be before seen_at',
      'aliased_at must not be in the future',
      'acquired_at must not be in the future',
      expect.stringContaining('fields.seenAt is'),
      expect.stringContaining('acquired_at: "acquiredAt" is not a date or time'),
      expect.stringContaining('asof.publishedFrom.source must be one of'),
    ])
    expect(warned).toMatchObject([
      { where: 'line 9', field: 'published_at', reason: 'later than acquired_at: left out' },
    ])
  })
  it('reports an unknown name inside asof, once, and imports the line', async () => {
    const line = { url: 'https://a.org/', text: 'x', asof: { site_name: 'S', lang: 'en', colour: 1 } }
    const report = await load(line, { ...line, url: 'https://a.org/2' })
    expect(report).toMatchObject({ added: 2, failed: 0 })
    expect(report.unknownFields).toEqual([
      { where: 'line 1', field: 'asof.site_name', hint: 'did you mean siteName?' },
      { where: 'line 1', field: 'asof.colour', hint: 'known are lang, siteName, publishedFrom, kind, data' },
    ])
    expect((await load({ ...line, asof: 'text' })).unknownFields).toEqual([])
  })
  it('keeps the last of several lines of one URL and millisecond, and nothing of the others', async () => {
    const at = { url: 'https://a.org/', acquired_at: '2020-01-01' }
    await load({ ...at, markdown: 'lost' }, { ...at, markdown: 'won' })
    expect((await engine.stats()).captures).toBe(1)
    await load({ ...at, markdown: 'lost again' }, { url: at.url, removed_at: '2020-01-01' })
    expect((await engine.stats()).captures).toBe(0)
  })
  it('imports the known fields, ignores others with a note, and counts captures that were already there', async () => {
    const line = {
      url: 'https://a.org/x',
      html: '<p>The body of the page</p>',
      title: 'Title',
      author: 'Ann',
      published_at: '2020-05-01',
      acquired_at: '2020-06-01T00:00:00Z',
      description: null,
      extra: { any: 'thing' },
    }
    expect(await load(line)).toMatchObject({ read: 1, added: 1, unchanged: 0, failed: 0, warnings: 0 })
    expect(await load(line)).toMatchObject({ read: 1, added: 0, unchanged: 1 })
    expect(await engine.page('https://a.org/x')).toMatchObject({
      title: 'Title',
      author: 'Ann',
      publishedAt: Date.UTC(2020, 4, 1),
      acquiredAt: Date.UTC(2020, 5, 1),
    })
  })
  it('names each field that it does not know once, with the name that was probably meant', async () => {
    const lines = [
      { url: 'https://a.org/1', text: 'one', titel: 'One' },
      { url: 'https://a.org/2', text: 'two', titel: 'Two', publishedAt: '2020-01-01', __proto__x: 1 },
      '{"url":"https://a.org/3","text":"three","__proto__":{"title":"x"}}',
    ]
    const { unknownFields, ...report } = await load(...lines)
    expect(report).toMatchObject({ added: 3, failed: 0 })
    expect(unknownFields).toEqual([
      { where: 'line 1', field: 'titel', hint: 'did you mean title?' },
      { where: 'line 2', field: 'publishedAt', hint: 'did you mean published_at?' },
      { where: 'line 2', field: '__proto__x', hint: expect.stringContaining('known are url, id, html') },
      { where: 'line 3', field: '__proto__', hint: expect.stringContaining('known are') },
    ])
    const many = Array.from({ length: 150 }, (_, i) => ({ url: 'https://a.org/', text: 'x', [`x${i}`]: 1 }))
    expect((await load(...many)).unknownFields).toHaveLength(100)
  })
  it('knows every field that asof extract prints and asof export writes', async () => {
    const html = `<html lang=en><title>T</title><meta name=author content=A><meta property="og:image" content="/i.png">
      <meta property="og:site_name" content=S><link rel=canonical href="https://a.org/c"><link rel=alternate hreflang=de href=/de>
      <meta property="article:published_time" content="2020-01-01"><meta property="article:modified_time" content="2020-02-01">
      <script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script><p>Some text <a href=/b>b</a>`
    const page = await extract(html, { url: 'https://a.org/', contentType: 'text/html' })
    const { unknownFields } = await load(JSON.parse(pageJson('https://a.org/', page, Date.UTC(2021, 0, 1))))
    expect(unknownFields).toEqual([])
    await engine.add([{ url: 'https://a.org/2', html, fields: { price: 2 } }])
    for await (const line of exportJsonl(engine)) expect((await load(line)).unknownFields).toEqual([])
  })
  it('reports each bad line by its number and imports the others', async () => {
    const good = { url: 'https://a.org/', text: 'good text' }
    const report = await load(
      good,
      '{"url": "https://a.org/2", ',
      '',
      { text: 'no url' },
      { url: 'https://a.org/4' },
      { url: 'https://a.org/5', text: 'x', html: 'x' },
      { url: 'not a url', text: 'x' },
      { url: 'https://a.org/7', text: 'x', acquired_at: '2999-01-01T00:00:00Z' },
      { url: 'https://a.org/8', text: 'x', acquired_at: 'yesterday' },
      { url: 'https://a.org/9', text: 5 },
      '[1]',
      { ...good, url: 'https://a.org/last' },
    )
    expect(report).toMatchObject({ read: 11, added: 2, failed: 9 })
    expect(report.failures.map(({ where }) => where).sort()).toEqual(
      [2, 4, 5, 6, 7, 8, 9, 10, 11].map(number => `line ${number}`).sort(),
    )
    expect(report.failures.every(({ code }) => code.startsWith('ASOF_'))).toBe(true)
  })
  it('leaves out a publish date after the acquisition with a warning, and imports the line', async () => {
    const report = await load({
      url: 'https://a.org/',
      text: 'x y z',
      published_at: '2021-01-02',
      acquired_at: '2021-01-01T00:00:00Z',
    })
    const warning = { where: 'line 1', url: 'https://a.org/', field: 'published_at' }
    expect(report).toMatchObject({ added: 1, failed: 0, datesDropped: 1, warnings: 1, warned: [warning] })
    expect((await engine.page('https://a.org/'))?.publishedAt).toBeUndefined()
  })
  it('rejects a line that is not UTF-8, and no other', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"url":"https://a.org/","text":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n{"url":"https://a.org/","text":"fine"}\n'),
    ])
    expect(await importJsonl(engine, chunks(bytes))).toMatchObject({ read: 2, added: 1, failed: 1 })
  })
  it('rejects a line over 32 MiB without keeping it in memory, and imports the next', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      const block = Buffer.alloc(1024 * 1024, 'a')
      for (let sent = 0; sent <= MAX_RECORD_BYTES + block.length; sent += block.length) yield block
      yield Buffer.from('\n{"url":"https://a.org/","text":"fine"}')
    }
    expect(await importJsonl(engine, source())).toMatchObject({ read: 2, added: 1, failed: 1 })
  })
  it('stops after the current commit when the signal aborts', async () => {
    const lines = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ url: `https://a.org/${i}`, text: `text ${i}` }),
    ).join('\n')
    const stop = new AbortController()
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${lines}\n`)
      stop.abort()
      yield Buffer.from(lines)
    }
    const report = await importJsonl(engine, source(), { signal: stop.signal })
    expect(report.read).toBe(20)
    expect(report.added).toBe(20)
  })
  it('accepts any bytes, with a report that adds up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => {
        const report = await importJsonl(engine, chunks(bytes))
        expect(report.added + report.unchanged + report.failed).toBe(report.read)
      }),
    )
  })
  it('rejects with the error of an engine that cannot write', async () => {
    await engine.close()
    await expect(load({ url: 'https://a.org/', text: 'x' })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    engine = await open(':memory:')
  })
  it('imports more than a thousand lines', async () => {
    const text = (i: number) => createHash('sha256').update(String(i)).digest('hex')
    const lines = Array.from({ length: 1200 }, (_, i) => ({ url: `https://a.org/${i}`, text: text(i) }))
    expect(await load(...lines)).toMatchObject({ read: 1200, added: 1200, failed: 0 })
    expect((await engine.stats()).captures).toBe(1200)
  })
})
