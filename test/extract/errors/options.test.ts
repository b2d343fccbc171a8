import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, ExtractPool, examine, extract, isAsofError, open, repair } from '../../../core/index.ts'
import { optionsReader } from '../../../extract/errors/options.ts'
import { unknownName } from '../../../extract/errors/unknown-name.ts'

let root: string
let engine: Engine

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-options-'))
  engine = await open(':memory:')
  await engine.add([{ url: 'https://a.example/', text: 'a ticket' }])
})

afterAll(async () => {
  await engine.close()
  await rm(root, { recursive: true, force: true })
})

/** Options as callers without type checks may pass them. */
type Untyped = never

const calls: [name: string, call: (options: unknown) => Promise<unknown>][] = [
  ['open', options => open(path.join(root, 'never'), options as Untyped)],
  ['search', options => engine.search('ticket', options as Untyped)],
  ['check', options => engine.check('ticket', options as Untyped)],
  ['page', options => engine.page('https://a.example/', options as Untyped)],
  ['suggest', options => engine.suggest('tick', options as Untyped)],
  ['export', options => engine.export(options as Untyped)],
  ['remove', options => engine.remove('https://a.example/never', options as Untyped)],
  ['embed', options => engine.embed(options as Untyped)],
  ['backup', options => engine.backup(path.join(root, 'never'), options as Untyped)],
  ['extract', options => extract('<p>x', options as Untyped)],
  ['ExtractPool', async options => new ExtractPool(options as Untyped)],
]

const hostile = (): [what: string, options: unknown][] => [
  ['a string', 'queryTime'],
  ['a number', 5],
  ['a list', [{ queryTime: '7d' }]],
  ['a function', () => ({})],
  ['a Map', new Map([['queryTime', '7d']])],
  ['a Date', new Date()],
  [
    'a class instance with getters',
    new (class {
      get queryTime() {
        return '7d'
      }
    })(),
  ],
  ['an object that inherits options', Object.create({ queryTime: '7d' })],
  ['an own __proto__', JSON.parse('{"__proto__": {"queryTime": "7d"}}')],
  ['a literal __proto__', { __proto__: { queryTime: '7d' } }],
  ['an unknown option of 10 million characters', { ['x'.repeat(10_000_000)]: 1 }],
  [
    'a getter that throws',
    {
      get queryTime() {
        throw new RangeError('no')
      },
    },
  ],
  [
    'a proxy that throws',
    new Proxy(
      {},
      {
        ownKeys() {
          throw new RangeError('no')
        },
      },
    ),
  ],
  ['a revoked proxy', revoked()],
  ['an option that is not enumerable', Object.defineProperty({}, 'queryTime ', { value: '7d' })],
]

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe.each(calls)('the options of %s', (_name, call) => {
  it.each(hostile())('are rejected if they are %s', async (_what, options) => {
    const failure = await call(options).catch((error: unknown) => error)
    expect(failure).toSatisfy(error => isAsofError(error, 'ASOF_INVALID_OPTION'))
    expect((failure as Error).message.length).toBeLessThan(400)
  })

  it('are rejected if one of them is unknown', async () => {
    await expect(call({ unheardOf: 1 })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringMatching(/^unknown option unheardOf; known are \w+/),
      details: { field: 'unheardOf' },
    })
  })
})

describe('a misspelled option', () => {
  it.each([
    ['queryTIme', 'queryTime'],
    ['query_time', 'queryTime'],
    ['querytime', 'queryTime'],
    ['queryTme', 'queryTime'],
    ['asOf', 'queryTime'],
    ['limit', 'maxResults'],
    ['max_results', 'maxResults'],
    ['maxResult', 'maxResults'],
    ['maxresults', 'maxResults'],
    ['published_after', 'publishedAfter'],
    ['aquiredAfter', 'acquiredAfter'],
    ['snippetLength', 'snippetMaxLength'],
    ['lang', 'language'],
    ['domain', 'site'],
    ['Mode', 'mode'],
  ])('of search is rejected with the name that was probably meant: %s, %s', async (wrong, nearest) => {
    for (const ask of ['search', 'check'] as const)
      await expect(engine[ask]('ticket', { [wrong]: '7d' })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        message: `unknown option ${wrong}; did you mean ${nearest}?`,
        details: { field: wrong, nearest },
      })
  })

  it('of the other functions is rejected with the name that was probably meant, too', async () => {
    const meant = (asked: Promise<unknown>, nearest: string) =>
      expect(asked).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { nearest } })
    await meant(engine.page('https://a.example/', { query_time: '7d' } as Untyped), 'queryTime')
    await meant(engine.suggest('tick', { limit: 5 } as Untyped), 'maxResults')
    await meant(engine.export({ max_results: 5 } as Untyped), 'maxResults')
    await meant(engine.export({ after: 'x' } as Untyped), 'cursor')
    await meant(engine.history('https://a.example/', { after: 'x' } as Untyped), 'cursor')
    await meant(engine.backup(path.join(root, 'never'), { onprogress: () => {} } as Untyped), 'onProgress')
    await meant(open(path.join(root, 'never'), { cacheByte: 5 } as Untyped), 'cacheBytes')
    await meant(open(path.join(root, 'never'), { creat: false } as Untyped), 'create')
    await meant(extract('x', { url: 'https://a.example/', content_type: 'text/html' } as Untyped), 'contentType')
  })
})

describe('an option of the wrong type', () => {
  const options = {
    mode: 'string',
    site: 'string',
    language: 'string',
    acquiredAfter: 'time',
    queryTime: 'time',
    maxResults: 'number',
    snippetMaxLength: 'number',
    models: 'boolean',
    explain: 'boolean',
    weeksInFilters: 'boolean',
  } as const
  const values: [kind: string, value: unknown][] = [
    ['string', '5'],
    ['number', 5],
    ['boolean', true],
    ['object', {}],
    ['list', ['5']],
    ['function', () => 5],
    ['symbol', Symbol('5')],
    ['BigInt', 5n],
  ]
  const wrong = Object.entries(options).flatMap(([name, kind]) =>
    values
      .filter(([of]) => of !== kind && !(kind === 'time' && (of === 'string' || of === 'number')))
      .map(([of, value]) => [name, of, value] as const),
  )

  it.each(wrong)('is rejected: %s as %s', async (name, _of, value) => {
    await expect(engine.search('ticket', { [name]: value })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      message: expect.stringMatching(new RegExp(`^${name} must be .*, not `)),
      details: { field: name },
    })
  })

  it('is not null, which means absent as in JSON', async () => {
    const nulls = Object.fromEntries(Object.keys(options).map(name => [name, null]))
    const { results } = await engine.search('ticket', nulls as Untyped)
    expect(results).toEqual((await engine.search('ticket')).results)
    await expect(engine.search('ticket', null as Untyped)).resolves.toMatchObject({ mode: 'pro' })
    await expect(engine.suggest('tick', { maxResults: null } as Untyped)).resolves.toBeDefined()
  })

  it('that is a query is rejected with the type that it must have', async () => {
    for (const query of [null, 5, ['fox']])
      for (const call of [engine.search(query as Untyped), engine.suggest(query as Untyped)])
        await expect(call).rejects.toMatchObject({
          code: 'ASOF_INVALID_QUERY',
          message: 'the query must be a string',
        })
  })

  it('of `open` is rejected before any file is created', async () => {
    const dir = path.join(root, 'never')
    for (const wrong of [
      { now: 5 },
      { cacheBytes: '5' },
      { cacheBytes: Number.NaN },
      { cacheBytes: -1 },
      { searchThreads: 65 },
      { searchThreads: 1.5 },
      { onWarning: true },
      { retain: [] },
      { retain: 'soon' },
      { embed: () => [] },
      { embed: { model: '', embed: () => [] } },
      { embed: { model: 'a' } },
      { rerank: { model: 'a', rerank: 5 } },
      { mergePolicy: 5 },
      { create: 'no' },
    ]) {
      const [field] = Object.keys(wrong)
      await expect(open(dir, wrong as Untyped), field).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field },
      })
    }
    expect(existsSync(dir)).toBe(false)
  })

  it('of the other functions is rejected too', async () => {
    const refused = (asked: () => Promise<unknown>, field: string) =>
      expect(asked()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field } })
    await refused(() => engine.suggest('tick', { maxResults: '5' } as Untyped), 'maxResults')
    await refused(() => engine.export({ cursor: 5 } as Untyped), 'cursor')
    await refused(() => engine.export({ cursor: 'nothing' }), 'cursor')
    await refused(() => engine.embed({ signal: 5 } as Untyped), 'signal')
    await refused(() => engine.backup(path.join(root, 'never'), { beside: 'x' } as Untyped), 'beside')
    await refused(() => engine.backup(undefined as Untyped), 'dir')
    await refused(() => open(undefined as Untyped), 'dir')
    await refused(() => open(''), 'dir')
    await refused(() => open('a\0b'), 'dir')
    await refused(() => examine(5 as Untyped), 'dir')
    await refused(() => repair(null as Untyped), 'dir')
    await refused(() => extract(5 as Untyped, { url: 'https://a.example/' }), 'body')
    await refused(() => extract('x', undefined as Untyped), 'url')
    await refused(() => extract('x', { url: 'https://a.example/', timeoutMs: -1 }), 'timeoutMs')
  })

  it('that is a URL is rejected too', async () => {
    for (const url of [5, null, undefined, {}, ['https://a.example/'], new URL('https://a.example/')] as Untyped[])
      for (const ask of ['page', 'remove', 'purge', 'markSeen'] as const)
        await expect(engine[ask](url)).rejects.toMatchObject({ code: 'ASOF_INVALID_URL' })
  })
})

describe('options', () => {
  it('that are undefined count as absent', async () => {
    const given = { queryTime: undefined, maxResults: undefined, site: undefined, explain: undefined } as Untyped
    expect(await engine.search('ticket', given)).toMatchObject({ results: [{ url: 'https://a.example/' }] })
    expect(await engine.search('ticket', undefined)).toMatchObject({ results: [{ url: 'https://a.example/' }] })
  })

  it('may come from another realm, have no prototype, or be behind a transparent proxy', async () => {
    const { runInNewContext } = await import('node:vm')
    for (const given of [
      runInNewContext('({ maxResults: 1 })'),
      Object.assign(Object.create(null), { maxResults: 1 }),
      new Proxy({ maxResults: 1 }, {}),
      Object.freeze({ maxResults: 1 }),
    ])
      expect((await engine.search('ticket', given)).results).toHaveLength(1)
  })

  it('are read only once, so that later changes by the caller have no effect', async () => {
    let reads = 0
    const given = {
      get maxResults() {
        reads++
        return reads === 1 ? 1 : ('many' as Untyped)
      },
    }
    expect((await engine.search('ticket', given)).results).toHaveLength(1)
    expect(reads).toBe(1)
  })

  it('of huge size are rejected with a short message', async () => {
    const huge = 'x'.repeat(50_000_000)
    for (const name of ['mode', 'site', 'language', 'queryTime', 'acquiredAfter']) {
      const failure = await engine.search('ticket', { [name]: huge }).catch((error: unknown) => error)
      expect(failure).toSatisfy(error => isAsofError(error))
      expect((failure as Error).message.length).toBeLessThan(1000)
    }
  })
})

describe('optionsReader', () => {
  interface Some {
    name?: string
    count: number
  }
  const read = optionsReader<Some>({ name: 'string', count: 'number' }, { required: ['count'] })

  it('returns exactly the options that are present if all are known and of the right type, and rejects everything else', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true }), given => {
        try {
          const { count, name, ...rest } = read(given as Some)
          expect([typeof count, typeof (name ?? ''), rest]).toEqual(['number', 'string', {}])
        } catch (error) {
          expect(isAsofError(error, 'ASOF_INVALID_OPTION')).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.record({ name: fc.string(), count: fc.double() }, { requiredKeys: ['count'] }), given => {
        expect(read(given)).toEqual({ ...given })
      }),
    )
  })

  it('names a required option that is missing', () => {
    expect(() => read({} as Some)).toThrow('count is required')
  })

  it('does not compile if an option is missing in its table or unknown', () => {
    // @ts-expect-error -- `name` is missing
    optionsReader<Some>({ count: 'number' })
    // @ts-expect-error -- `other` is unknown
    optionsReader<Some>({ name: 'string', count: 'number', other: 'string' })
  })
})

describe('unknownName', () => {
  const known = ['queryTime', 'maxResults', 'site', 'mode']

  it('finds a known name in any case and with any separators', () => {
    for (const name of known)
      for (const written of [name.toUpperCase(), name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`), `-${name}-`])
        expect(unknownName(written, known).nearest).toBe(name)
  })

  it('finds a known name with one letter missing, doubled or changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom('', 'z'), (name, n, by) => {
        const at = n % name.length
        expect(unknownName(name.slice(0, at) + by + name.slice(at + 1), known).nearest).toBe(name)
      }),
    )
  })

  it('finds none for a name that resembles no known one, and lists the known names', () => {
    for (const far of ['x', '', 'zebra', 'q'.repeat(10_000_000)]) {
      const { nearest, hint, field } = unknownName(far, known)
      expect(nearest).toBeUndefined()
      expect(hint).toBe('known are queryTime, maxResults, site, mode')
      expect(field.length).toBeLessThanOrEqual(60)
    }
  })
})
