import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../core/index.ts'
import { AnalysisPool } from '../../core/ingest/analysis-pool.ts'
import { prepareCapture } from '../../core/ingest/prepared-capture.ts'
import { ANALYZER } from '../../core/text/languages/analyzers.ts'

const MIB = 1024 * 1024
const NOW = Date.UTC(2025, 5, 1)

let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:', { now: () => NOW })
})

afterAll(async () => {
  await engine.close()
})

/** A capture as a caller without type checks may pass it. */
const untyped = (capture: unknown): CaptureInput => capture as CaptureInput

let pages = 0
const newUrl = (): string => `https://bad.example.com/${pages++}`

async function added(capture: Omit<CaptureInput, 'url'>): Promise<string> {
  const url = newUrl()
  expect(await engine.add([{ url, ...capture }])).toMatchObject({ added: 1, failures: [] })
  return url
}

describe('an unusual but valid capture', () => {
  it('may have a body of up to 20 MiB, and is rejected if the body is a byte longer', async () => {
    const start = '<article><h1>Enormous</h1><p>The quick marmalade jumps over the lazy page.</p>'
    const filler = '<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.</p>\n'
    const most = (start + filler.repeat((20 * MIB) / filler.length)).slice(0, 20 * MIB)
    // The time limit of the engine's own pool, 20 seconds, may be too short for this body on a busy machine.
    const pool = new AnalysisPool(ANALYZER, { captureTimeoutMs: 280_000 })
    const url = newUrl()
    const [result] = await pool.run([prepareCapture({ url, html: Buffer.from(most) }, NOW)])
    await pool.close()
    const { group, failures } = result!
    expect([group.captures.map(capture => capture.url), failures]).toEqual([[url], []])
    for (const html of [`${most}x`, Buffer.from(`${most}x`)]) {
      const { added, failures } = await engine.add([{ url: newUrl(), html }])
      expect(added).toBe(0)
      expect(failures[0]!).toMatchObject({ code: 'ASOF_EXTRACT_TOO_LARGE' })
    }
  })

  it('may nest 100,000 tags', async () => {
    const html = `${'<div>'.repeat(100_000)}<p>Deep down there is a kumquat, and it is ripe.</p>${'</div>'.repeat(100_000)}`
    const url = await added({ html })
    expect((await engine.search('kumquat')).results[0]!.url).toBe(url)
  })

  it.each(['text', 'markdown', 'html'] as const)(
    'may contain invalid UTF-8, NULs and lone surrogates as %s',
    async kind => {
      const bytes = Buffer.concat([
        Buffer.from(`${kind}one `),
        Buffer.of(0xff, 0xfe, 0xc0, 0x00, 0xed, 0xa0, 0x80),
        Buffer.from(` ${kind}two`),
      ])
      const ofBytes = await added({ [kind]: bytes, contentType: 'text/html; charset=utf-8' })
      const ofText = await added({
        [kind]: `<p>${kind}three \0 \ud800 a\udc00b \udfff\ud800 ${kind}four`,
        title: '\ud83d',
      })
      for (const [url, words] of [
        [ofBytes, [`${kind}one`, `${kind}two`]],
        [ofText, [`${kind}three`, `${kind}four`]],
      ] as const)
        for (const word of words) expect((await engine.search(word)).results.map(result => result.url)).toEqual([url])
      expect((await engine.page(ofText))?.markdown.isWellFormed()).toBe(true)
    },
  )

  it('may contain a word of a megabyte', async () => {
    const url = await added({ text: `${'x'.repeat(MIB)} pomegranate` })
    const { results } = await engine.search('pomegranate')
    expect(results[0]!.url).toBe(url)
    expect(results[0]!.snippet.text.length).toBeLessThanOrEqual(600)
  })

  it('may contain 10,000 distinct words of 64 characters', async () => {
    const words = Array.from({ length: 10_000 }, (_, i) => `w${i}q`.padEnd(64, 'abcdefg'))
    const url = await added({ text: words.join(' ') })
    expect((await engine.search(words[9_999]!)).results[0]?.url).toBe(url)
    expect((await engine.search(words[0]!)).results[0]?.url).toBe(url)
  })

  it('may have an empty body', async () => {
    for (const body of [{ text: '' }, { html: '' }, { markdown: new Uint8Array(0) }]) {
      const url = await added(body)
      expect((await engine.page(url))?.markdown).toBe('')
    }
  })
})

describe('an invalid capture', () => {
  const good = { url: 'https://good.example.com/', text: 'good' }
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const bad: [what: string, capture: unknown, code: string][] = [
    ['no body', { url: good.url }, 'ASOF_INVALID_CAPTURE'],
    ['two bodies', { url: good.url, text: 'a', html: 'b' }, 'ASOF_INVALID_CAPTURE'],
    ['a body that is a number', { url: good.url, text: 5 }, 'ASOF_INVALID_CAPTURE'],
    ['a body that is a list', { url: good.url, html: ['a'] }, 'ASOF_INVALID_CAPTURE'],
    ['null', null, 'ASOF_INVALID_CAPTURE'],
    ['undefined', undefined, 'ASOF_INVALID_CAPTURE'],
    ['a string', 'https://good.example.com/', 'ASOF_INVALID_CAPTURE'],
    ['no URL', { text: 'a' }, 'ASOF_INVALID_CAPTURE'],
    ['a URL object', { url: new URL('https://good.example.com/'), text: 'a' }, 'ASOF_INVALID_CAPTURE'],
    ['a URL that has no string', { url: Object.create(null), text: 'a' }, 'ASOF_INVALID_CAPTURE'],
    ['a relative URL', { url: '/a', text: 'a' }, 'ASOF_INVALID_URL'],
    ['an empty URL', { url: '', text: 'a' }, 'ASOF_INVALID_URL'],
    ['a mailto URL', { url: 'mailto:a@example.com', text: 'a' }, 'ASOF_INVALID_URL'],
    ['a URL with credentials', { url: 'https://a:b@example.com/', text: 'a' }, 'ASOF_INVALID_URL'],
    ['a URL of 3,000 characters', { url: `https://a.example/${'x'.repeat(3000)}`, text: 'a' }, 'ASOF_INVALID_URL'],
    ['aliases that are no list', { ...good, aliases: 'https://a.example/' }, 'ASOF_INVALID_CAPTURE'],
    ['a title that is a number', { ...good, title: 5 }, 'ASOF_INVALID_CAPTURE'],
    ['a future acquiredAt', { ...good, acquiredAt: NOW + 60_000 }, 'ASOF_INVALID_TIME'],
    ['an acquiredAt that is no time', { ...good, acquiredAt: 'yesterday' }, 'ASOF_INVALID_TIME'],
    ['an invalid Date', { ...good, acquiredAt: new Date(Number.NaN) }, 'ASOF_INVALID_TIME'],
    ['a publishedAt that is no time', { ...good, publishedAt: {} }, 'ASOF_INVALID_TIME'],
    ['data that is no list', { ...good, data: 5 }, 'ASOF_INVALID_CAPTURE'],
    ['circular data', { ...good, data: [circular] }, 'ASOF_INVALID_CAPTURE'],
    [
      'a publishedFrom of no known source',
      { ...good, publishedAt: 5, publishedFrom: { source: 5n } },
      'ASOF_INVALID_CAPTURE',
    ],
  ]

  it.each(bad)('is reported, and the other captures of the call are added: %s', async (_what, capture, code) => {
    const before = await engine.stats()
    const [one, two] = [newUrl(), newUrl()]
    const report = await engine.add([
      { url: one, text: `beside ${one}` },
      untyped(capture),
      { url: two, html: `<p>beside ${two}` },
    ])
    expect(report).toMatchObject({ added: 2, unchanged: 0, failures: [{ code }] })
    expect((await engine.stats()).captures).toBe(before.captures + 2)
  })

  it('is reported with the details of its error, such as the field that is wrong', async () => {
    const { failures } = await engine.add([untyped({ url: newUrl(), text: 'x', fields: { a: Number.NaN } })])
    expect(failures).toMatchObject([{ code: 'ASOF_INVALID_CAPTURE', details: { field: 'fields.a' } }])
  })

  it('is reported even if reading it throws a value that is not an Error', async () => {
    const throwing = untyped({
      get url(): string {
        throw 'no'
      },
    })
    const report = await engine.add([throwing, { url: newUrl(), text: 'beside a capture that throws' }])
    expect(report).toMatchObject({ added: 1, failures: [{ url: '' }] })
    expect(report.failures[0]!.message).not.toBe('')
  })

  it.each([5, {}, null, undefined, 'https://a.example/', { url: 'https://a.example/', text: 'not in a list' }])(
    'makes the whole call fail if it is passed without a list: %j',
    async captures => {
      await expect(engine.add(captures as unknown as CaptureInput[])).rejects.toMatchObject({
        code: 'ASOF_INVALID_CAPTURE',
        message: expect.stringContaining('put a single capture into a list'),
      })
    },
  )

  it.each([
    ['publishedAT', 'publishedAt'],
    ['published_at', 'publishedAt'],
    ['acquired_at', 'acquiredAt'],
    ['tilte', 'title'],
    ['content', 'text'],
    ['language', 'lang'],
  ])('is reported with the field that was probably meant: %s, %s', async (wrong, nearest) => {
    const { added, failures } = await engine.add([untyped({ url: newUrl(), text: 'a misspelt field', [wrong]: 'x' })])
    expect(added).toBe(0)
    expect(failures[0]!).toMatchObject({
      code: 'ASOF_INVALID_CAPTURE',
      message: `unknown field ${wrong}; did you mean ${nearest}?`,
    })
  })

  it.each<[object, string]>([
    [{ text: 'x', observed: 'removal' }, 'observed must be capture or revision beside text, not "removal"'],
    [{ removedAt: 5, observed: 'capture' }, 'observed must be removal beside removedAt, not "capture"'],
    [{ seenAt: 5, observed: 'alias' }, 'observed must be sighting beside seenAt, not "alias"'],
    [{ aliasedAt: 5, aliases: [], observed: 5 }, 'observed must be alias beside aliasedAt, not 5'],
  ])('that says it is what it is not is reported: %j', async (fields, message) => {
    const { failures } = await engine.add([untyped({ url: newUrl(), ...fields })])
    expect(failures).toMatchObject([{ code: 'ASOF_INVALID_CAPTURE', message }])
  })

  it('is reported with the list of known fields if none is similar', async () => {
    const { failures } = await engine.add([untyped({ url: newUrl(), text: 'x', lastSeenAt: 5 })])
    expect(failures[0]!.message).toMatch(/^unknown field lastSeenAt; known are url, html, markdown, text/)
  })
})

describe('a page whose analysis exceeds the time limit', () => {
  it('fails alone, and the 63 other pages of the call are analyzed', async () => {
    // Random Han characters: nearly every pair of neighbors is a distinct term.
    let state = 1
    const units = Uint16Array.from({ length: 5_000_000 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return 0x4e00 + ((state >>> 8) % 20_000)
    })
    const text = Buffer.from(units.buffer).toString('utf16le')
    const hostile = 17
    const captures = Array.from({ length: 64 }, (_, i) =>
      prepareCapture(
        {
          url: `https://a.example/${i}`,
          text: i === hostile ? text : undefined,
          html: i === hostile ? undefined : `<article><p>Page number ${i}.</article>`,
        },
        NOW,
      ),
    )
    const pool = new AnalysisPool(ANALYZER, { captureTimeoutMs: 1500 })
    try {
      const results = await pool.run(captures)
      expect(results).toHaveLength(64)
      results.forEach(({ group, failures }, i) => {
        if (i === hostile) expect(failures).toMatchObject([{ code: 'ASOF_EXTRACT_TIMEOUT' }])
        else expect([group.captures[0]?.url, failures]).toEqual([`https://a.example/${i}`, []])
      })
    } finally {
      await pool.close()
    }
  })
})
