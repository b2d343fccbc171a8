import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, isAsofError, open, type SearchOptions } from '../../core/index.ts'
import { AnalysisPool } from '../../core/ingest/analysis-pool.ts'
import { prepareCapture } from '../../core/ingest/prepared-capture.ts'

const MIB = 1024 * 1024
const NOW = Date.UTC(2025, 5, 1)

let root: string
let engine: Engine
const opened: Engine[] = []
let folders = 0

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-bad-'))
  engine = await open(path.join(root, 'shared'), { now: () => NOW })
})

afterEach(() => Promise.all(opened.splice(0).map(engine => engine.close())))

afterAll(async () => {
  await engine.close()
  await rm(root, { recursive: true, force: true })
})

/** An engine that is closed after the test. */
async function fresh(dir = path.join(root, String(folders++))): Promise<Engine> {
  const engine = await open(dir, { now: () => NOW })
  opened.push(engine)
  return engine
}

/** A capture as a caller without type checks may pass it. */
const untyped = (capture: unknown): CaptureInput => capture as CaptureInput

let pages = 0
const newUrl = (): string => `https://bad.example.com/${pages++}`

async function added(capture: Omit<CaptureInput, 'url'>): Promise<string> {
  const url = newUrl()
  expect(await engine.add([{ url, ...capture }])).toMatchObject({ added: 1, failed: [] })
  return url
}

describe('an unusual but valid capture', () => {
  it('may have a body of up to 20 MiB, and is rejected if the body is a byte longer', async () => {
    const start = '<article><h1>Enormous</h1><p>The quick marmalade jumps over the lazy page.</p>'
    const filler = '<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.</p>\n'
    const most = (start + filler.repeat((20 * MIB) / filler.length)).slice(0, 20 * MIB)
    // The time limit of the engine's own pool, 20 seconds, may be too short for this body on a busy machine.
    const pool = new AnalysisPool({ captureTimeoutMs: 280_000 })
    const url = newUrl()
    const [result] = await pool.run([prepareCapture({ url, html: Buffer.from(most) }, NOW)])
    await pool.close()
    const { group, failures } = result!
    expect([group.captures.map(capture => capture.url), failures]).toEqual([[url], []])
    for (const html of [`${most}x`, Buffer.from(`${most}x`)]) {
      const { added, failed } = await engine.add([{ url: newUrl(), html }])
      expect(added).toBe(0)
      expect(failed[0]!.error).toMatchObject({ code: 'ASOF_EXTRACT_TOO_LARGE' })
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
    ['a bad alias', { ...good, aliases: ['nonsense'] }, 'ASOF_INVALID_URL'],
    ['an alias that is a number', { ...good, aliases: [5] }, 'ASOF_INVALID_CAPTURE'],
    ['aliases that are no list', { ...good, aliases: 'https://a.example/' }, 'ASOF_INVALID_CAPTURE'],
    ['a title that is a number', { ...good, title: 5 }, 'ASOF_INVALID_CAPTURE'],
    ['a future acquiredAt', { ...good, acquiredAt: NOW + 60_000 }, 'ASOF_INVALID_TIME'],
    ['an acquiredAt that is no time', { ...good, acquiredAt: 'yesterday' }, 'ASOF_INVALID_TIME'],
    ['an invalid Date', { ...good, acquiredAt: new Date(Number.NaN) }, 'ASOF_INVALID_TIME'],
    ['a publishedAt that is no time', { ...good, publishedAt: {} }, 'ASOF_INVALID_TIME'],
    ['data that is no list', { ...good, data: 5 }, 'ASOF_INVALID_CAPTURE'],
    ['circular data', { ...good, data: [circular] }, 'ASOF_INVALID_CAPTURE'],
    ['data with a BigInt', { ...good, data: [{ price: 5n }] }, 'ASOF_INVALID_CAPTURE'],
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
    expect(report).toMatchObject({ added: 2, unchanged: 0, failed: [{ error: { code } }] })
    expect((await engine.stats()).captures).toBe(before.captures + 2)
  })

  it('is reported even if reading it throws a value that is not an Error', async () => {
    const throwing = untyped({
      get url(): string {
        throw 'no'
      },
    })
    const report = await engine.add([throwing, { url: newUrl(), text: 'beside a capture that throws' }])
    expect(report).toMatchObject({ added: 1, failed: [{ url: '' }] })
    expect(report.failed[0]!.error).toBeInstanceOf(Error)
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
    const { added, failed } = await engine.add([untyped({ url: newUrl(), text: 'a misspelt field', [wrong]: 'x' })])
    expect(added).toBe(0)
    expect(failed[0]!.error).toMatchObject({
      code: 'ASOF_INVALID_CAPTURE',
      message: `unknown field ${wrong}; did you mean ${nearest}?`,
      details: { field: wrong, nearest },
    })
  })

  it('is reported with the list of known fields if none is similar', async () => {
    const { failed } = await engine.add([untyped({ url: newUrl(), text: 'x', lastSeenAt: 5 })])
    expect(failed[0]!.error.message).toMatch(/^unknown field lastSeenAt; known are url, html, markdown, text/)
  })
})

describe('an iterable of captures', () => {
  it('that throws makes `add` reject with its error, and captures acknowledged earlier are kept', async () => {
    const engine = await fresh()
    await engine.add([{ url: 'https://a.example/before', text: 'acknowledged before' }])
    function* failing(): Generator<CaptureInput> {
      for (let i = 0; i < 5000; i++) yield { url: `https://a.example/${i}`, text: `midway ${i}` }
      throw new RangeError('the source broke')
    }
    await expect(engine.add(failing())).rejects.toThrow(new RangeError('the source broke'))
    expect((await engine.search('acknowledged')).results).toHaveLength(1)
    // Only complete batches are committed; a batch has 4,096 captures.
    expect((await engine.stats()).captures).toBe(4097)
    expect(await engine.add([{ url: 'https://a.example/after', text: 'after' }])).toMatchObject({ added: 1 })
  })

  it('that never ends is closed when it is canceled, and the engine keeps working', async () => {
    const engine = await fresh()
    let released = false
    const cancelled = new AbortController()
    async function* endless(): AsyncGenerator<CaptureInput> {
      try {
        for (let i = 0; ; i++) {
          await new Promise(resolve => setImmediate(resolve))
          cancelled.signal.throwIfAborted()
          if (i === 200) cancelled.abort(new Error('enough'))
          yield { url: `https://a.example/${i}`, text: `endless ${i}` }
        }
      } finally {
        released = true
      }
    }
    await expect(engine.add(endless())).rejects.toThrow('enough')
    expect(released).toBe(true)
    expect(await engine.add([{ url: 'https://a.example/after', text: 'after' }])).toMatchObject({ added: 1 })
  })

  it.each(['text', 'html'] as const)('that never ends is closed when the engine closes: %s', async kind => {
    const engine = await open(path.join(root, String(folders++)))
    let released = false
    let reached: () => void = () => {}
    const started = new Promise<void>(resolve => {
      reached = resolve
    })
    async function* endless(): AsyncGenerator<CaptureInput> {
      try {
        for (let i = 0; ; i++) {
          if (i === 300) reached()
          await new Promise(resolve => setImmediate(resolve))
          yield { url: `https://a.example/${i}`, [kind]: `<p>endless ${i} ${'more '.repeat(200)}` }
        }
      } finally {
        released = true
      }
    }
    const adding = engine.add(endless())
    adding.catch(() => {})
    await started
    await engine.close()
    await expect(adding).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    expect(released).toBe(true)
    const again = await fresh(path.join(root, String(folders - 1)))
    expect((await again.stats()).captures % 4096).toBe(0)
  })

  it('that is faster than the merges waits for a merge at 128 segments, then continues', async () => {
    const dir = path.join(root, String(folders++))
    const engine = await open(dir, {
      mergePolicy: segments => (segments.length < 128 ? [] : segments.slice(0, 8).map(({ id }) => id)),
    })
    opened.push(engine)
    for (let i = 0; i < 150; i++) await engine.add([{ url: `https://a.example/${i}`, text: `one of many ${i}` }])
    const stats = await engine.stats()
    expect(stats.captures).toBe(150)
    expect(stats.segments).toBeLessThanOrEqual(129)
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
          ...(i === hostile ? { text } : { html: `<article><p>Page number ${i}.</article>` }),
        },
        NOW,
      ),
    )
    const pool = new AnalysisPool({ captureTimeoutMs: 3000 })
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

describe('an unusual or invalid request', () => {
  const refused = async (asked: Promise<unknown>, code: string): Promise<void> => {
    await expect(asked).rejects.toSatisfy(error => isAsofError(error) && error.code === code)
  }

  beforeAll(async () => {
    await engine.add(
      Array.from({ length: 1200 }, (_, i) => ({
        url: `http://${i % 2 === 0 ? '192.0.2.7' : '[2001:db8::7]'}:8080/page/${i}`,
        text: `plentiful fruit number${i}`,
      })),
    )
  })

  it('may have a query of up to 2,048 characters of distinct words, and is rejected beyond that', async () => {
    let query = ''
    for (let i = 0; query.length < 2048; i++) query += `${(i + 36).toString(36)} `
    const most = query.slice(0, 2047).padEnd(2048, 'x')
    await engine.search(most)
    await engine.search(`fruit ${'🍎'.repeat(2042)}`)
    await refused(engine.search(`${most}x`), 'ASOF_INVALID_QUERY')
  })

  it('may request up to 1,000 results, and is rejected beyond that', async () => {
    const { results } = await engine.search('plentiful fruit', { maxResults: 1000 })
    expect(new Set(results.map(({ url }) => url)).size).toBe(1000)
    for (const maxResults of [1001, 0, -1, 1.5, Number.NaN, '10', null])
      await refused(engine.search('fruit', { maxResults } as SearchOptions), 'ASOF_INVALID_OPTION')
  })

  it.each([
    '!?.,;:',
    '🍎',
    '🍎🍏👩‍👩‍👧‍👦',
    '"',
    '""',
    '"" "',
    '-',
    '--',
    '-"',
    '*',
    '\0',
    '\ud800',
    '" - "',
    '-a',
    '-"a b"',
    '‮',
  ])('has no results if its query contains no words: %j', async query => {
    expect((await engine.search(query)).results).toEqual([])
  })

  it.each(['', ' ', '\t\n', '\u3000'])('is rejected if its query is blank: %j', query =>
    refused(engine.search(query), 'ASOF_INVALID_QUERY'),
  )

  it.each([5, null, undefined, {}, []])('is rejected if its query is not a string: %j', query =>
    refused(engine.search(query as unknown as string), 'ASOF_INVALID_QUERY'),
  )

  it.each([
    ['192.0.2.7', 600],
    ['2001:db8::7', 600],
    ['[2001:db8::7]', 600],
    ['192.0.2.8', 0],
    ['0.2.7', undefined],
    ['http://192.0.2.7', undefined],
    ['192.0.2.7:8080', undefined],
  ])('may name an IP address as its site, but neither a part of one nor a URL: %s', async (site, found) => {
    for (const asked of [
      () => engine.search('fruit', { site, maxResults: 1000 }),
      () => engine.search(`fruit site:${site}`, { maxResults: 1000 }),
    ])
      if (found === undefined) await refused(asked(), 'ASOF_INVALID_OPTION')
      else expect((await asked()).results).toHaveLength(found)
  })

  const malformed: unknown[] = [
    'yesterday',
    '2025',
    '20250510',
    '2025-13-01',
    '2025-02-30',
    '2025-05-10T24:00:00Z',
    '2025-05-10T10',
    '2025-05-10 10:00:00',
    '2025-05-10t10:00:00z',
    '2025-05-10T10:00:60Z',
    '2025-05-10T10:00:00+020',
    ' 2025-05-10',
    '2025-05-10 ',
    '-2h',
    '2.5h',
    '2H',
    '2s',
    '1234567d',
    'h',
    '١h',
    '\0',
    '2025-05-10\n',
    'x'.repeat(100_000),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    8.64e15 + 1,
    -8.64e15 - 1,
    new Date(Number.NaN),
  ]
  const noTimes: unknown[] = [null, {}, [], true, 5n, Symbol('time'), Object.create(null), () => {}]
  const shown = (value: unknown) =>
    typeof value === 'symbol' || (typeof value === 'object' && value !== null && !Object.getPrototypeOf(value))
      ? typeof value
      : String(value).slice(0, 40)
  const cases = [
    ...malformed.map(value => [shown(value), 'ASOF_INVALID_TIME', value] as const),
    ...noTimes.map(value => [shown(value), 'ASOF_INVALID_OPTION', value] as const),
  ]

  it.each(cases)(
    'is rejected if one of its times is malformed or of the wrong type: %s, %s',
    async (_, code, value) => {
      for (const name of ['queryTime', 'acquiredAfter', 'acquiredBefore', 'publishedAfter', 'publishedBefore'])
        await refused(engine.search('fruit', { [name]: value }), code)
      await refused(engine.page('https://a.example/', { queryTime: value as string }), code)
    },
  )

  it('is rejected if its query time lies in the future', async () => {
    await refused(engine.search('fruit', { queryTime: NOW + 3_600_000 }), 'ASOF_INVALID_TIME')
    await refused(engine.page('https://a.example/', { queryTime: '2999-01-01' }), 'ASOF_INVALID_TIME')
  })

  it.each([
    '',
    'nonsense',
    '/a',
    'mailto:a@b.example',
    'https://',
    'https://a:b@c.example/',
    `https://a.example/${'x'.repeat(20_000)}`,
  ])('for a page is rejected if the URL is invalid: %.40s', async url => {
    await refused(engine.page(url), 'ASOF_INVALID_URL')
    await refused(engine.remove(url), 'ASOF_INVALID_URL')
    await refused(engine.purge(url), 'ASOF_INVALID_URL')
  })

  it('for a page that never existed returns nothing, and deletes nothing', async () => {
    const url = 'https://never.example.com/'
    const before = await engine.stats()
    expect(await engine.page(url)).toBeUndefined()
    expect(await engine.remove(url)).toBe(false)
    expect(await engine.purge(url)).toBe(0)
    expect((await engine.stats()).urls).toBe(before.urls)
  })
})

describe('a closed engine', () => {
  it('rejects every call except `close`', async () => {
    const engine = await open(path.join(root, String(folders++)))
    await Promise.all([engine.close(), engine.close()])
    await engine.close()
    const calls: (() => Promise<unknown>)[] = [
      () => engine.add([{ url: 'https://a.example/', text: 'a' }]),
      () => engine.search('a'),
      () => engine.page('https://a.example/'),
      () => engine.remove('https://a.example/'),
      () => engine.purge('https://a.example/'),
      () => engine.stats(),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('completes each call made before `close` or rejects it as closed, and leaves none pending', async () => {
    const engine = await open(path.join(root, String(folders++)))
    const url = 'https://a.example/'
    await engine.add([{ url, text: 'first' }])
    const calls = Array.from({ length: 20 }, (_, i) => [
      engine.add([{ url: `${url}${i}`, text: `text ${i}` }]),
      engine.add([{ url: `${url}h${i}`, html: `<p>html ${i}` }]),
      engine.search('first'),
      engine.page(url),
      engine.remove(`${url}${i}`),
      engine.purge(`${url}${i - 1}`),
      engine.stats(),
    ]).flat()
    const settled = Promise.allSettled<unknown>(calls)
    await engine.close()
    for (const outcome of await settled)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ASOF_CLOSED' })
  })
})

describe('an open folder', () => {
  it('cannot be opened again in the same process by any spelling of its path until it is closed', async () => {
    const dir = path.join(root, String(folders++))
    const first = await fresh(dir)
    await first.add([{ url: 'https://a.example/', text: 'still here' }])
    const link = path.join(root, `link${folders}`)
    await symlink(dir, link)
    for (const spelling of [dir, `${dir}/`, path.relative(process.cwd(), dir), `${dir}/../${path.basename(dir)}`, link])
      await expect(open(spelling), spelling).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    expect((await first.search('here')).results).toHaveLength(1)
    await first.close()
    const second = await fresh(link)
    expect((await second.search('here')).results).toHaveLength(1)
  })

  it('is opened by only one of two simultaneous calls', async () => {
    const dir = path.join(root, String(folders++))
    const outcomes = await Promise.allSettled([fresh(dir), fresh(dir)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(outcome => outcome.status === 'rejected')?.reason).toMatchObject({ code: 'ASOF_STORE_LOCKED' })
  })
})
