import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CaptureInput,
  type Engine,
  errorCodes,
  isAsofError,
  type ObservationInput,
  open,
  type SearchOptions,
} from '../../core/index.ts'
import { seed } from '../histories.ts'

const CALL_TIMEOUT_MS = 120_000
/** Number of calls of `add` with captures. */
const CALLS = 200

let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([
    { url: 'https://a.example/', title: 'Any', text: 'any input at all, of any kind', publishedAt: '2024-05-10' },
    { url: 'https://b.example/', markdown: '# 東京都 any\n\n**input** `code` 한국어 ไทย' },
  ])
})

afterAll(async () => {
  await engine.close()
})

/** Returns the answer, or undefined after an `AsofError`. @throws any other error, and if the call takes too long. */
async function settled<T>(call: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), CALL_TIMEOUT_MS)
  })
  try {
    return await Promise.race([call(), late])
  } catch (error) {
    if (isAsofError(error)) return undefined
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})
const text = fc.string({ unit: 'binary', maxLength: 200 })
const surrogates = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 })
  .map(units => String.fromCharCode(...units))
const piece = fc.constantFrom(
  'any',
  'input',
  '"',
  '-',
  'site:',
  'a.example',
  '*',
  '`',
  '<p>',
  '</p>',
  '<!--',
  '# ',
  '|',
  '[',
  '](',
  ')',
  '&amp;',
  '\n',
  '\0',
  ' ',
  '東京',
  '🍎',
  '”',
  '„',
  '<script type="application/ld+json">',
  '{"@type":"Article","datePublished":"',
  '2024-05-10',
  '"}',
  '</script>',
  '<table><tr><td>',
  '<![CDATA[',
  '<?xml',
  '7d',
)
const pieces = fc.array(piece, { maxLength: 40 }).map(list => list.join(''))
const anyText = fc.oneof(text, surrogates, pieces)
const body = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: anything },
)
const url = fc.oneof(
  { weight: 3, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
  { weight: 1, arbitrary: anyText },
  anything,
)
const time = fc.oneof(
  fc.date(),
  fc.integer(),
  fc.double(),
  anyText,
  fc.constantFrom('2024-05-10', '7d', '2024-05-10T00:00:00Z', ''),
  anything,
)

const capture = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        url,
        html: body,
        markdown: body,
        text: body,
        title: fc.oneof(anyText, anything),
        author: fc.oneof(anyText, anything),
        description: anyText,
        lang: anyText,
        contentType: fc.oneof(
          fc.constantFrom('text/html; charset=utf-16', 'text/plain', 'application/json', 'application/rss+xml'),
          anyText,
        ),
        publishedAt: time,
        acquiredAt: time,
        publishedFrom: anything,
        data: fc.oneof(fc.array(anything), anything),
        aliases: fc.oneof(fc.array(url), anything),
      },
      { requiredKeys: ['url'] },
    ),
  },
  // Nearly valid input reaches deeper layers of the engine.
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.webUrl(), fc.constantFrom('html', 'markdown', 'text'), body)
      .map(([url, kind, body]) => ({ url, [kind]: body })),
  },
  { weight: 1, arbitrary: anything },
)

const options = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        mode: fc.oneof(fc.constantFrom('pro', 'realtime'), anything),
        site: fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), anyText, anything),
        acquiredAfter: time,
        acquiredBefore: time,
        publishedAfter: time,
        publishedBefore: time,
        queryTime: time,
        maxResults: fc.oneof(fc.integer({ min: 1, max: 1000 }), anything),
        snippetMaxLength: fc.oneof(fc.integer({ min: 180, max: 10_000 }), anything),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: anything },
)

describe(`the engine, given arbitrary input (seed ${seed})`, () => {
  it('adds each capture or reports why not, and adds the valid one in the same call', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(capture, { maxLength: 4 }), async captures => {
        const beside: CaptureInput = { url: `https://beside.example/${count++}`, text: `beside ${count}` }
        const report = await settled(() => engine.add([...(captures as CaptureInput[]), beside]))
        expect(report).toBeDefined()
        if (!report) return
        expect(report.added + report.unchanged + report.failures.length).toBe(captures.length + 1)
        for (const { code } of report.failures) expect(Object.keys(errorCodes)).toContain(code)
        expect((await engine.page(beside.url))?.markdown).toBe(beside.text)
        for (const captured of captures as CaptureInput[])
          if (typeof captured?.url === 'string') await settled(() => engine.page(captured.url))
      }),
      { numRuns: CALLS, seed },
    )
    const stats = await engine.stats()
    expect(stats.captures).toBeGreaterThanOrEqual(stats.urls - 1)
  })

  it('answers a search or rejects it with an `AsofError`', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 6, arbitrary: anyText }, anything), options, async (query, options) => {
        const answer = await settled(() => engine.search(query as string, options as SearchOptions))
        for (const { snippet } of answer?.results ?? [])
          for (const [start, end] of snippet.highlights) expect(start < end && end <= snippet.text.length).toBe(true)
      }),
      { numRuns: 1000, seed },
    )
  })

  it('finds, removes and purges a page or rejects the call with an `AsofError`', async () => {
    await fc.assert(
      fc.asyncProperty(
        url,
        fc.oneof(fc.record({ queryTime: time }), fc.record({ at: time }), anything),
        async (url, options) => {
          await settled(() => engine.page(url as string, options as { queryTime: string }))
          await settled(() => engine.remove(url as string))
          await settled(() => engine.remove(url as string, options as { at: string }))
          await settled(() => engine.purge(url as string))
          expect(await settled(() => engine.page(url as string))).toBeUndefined()
        },
      ),
      { numRuns: 500, seed },
    )
  })

  it('declares removals, sightings and aliases or reports each as a failure', async () => {
    const instants = { removedAt: time, seenAt: time, aliasedAt: time, unchangedSince: time, aliases: anything }
    const declared = fc.record({ url, ...instants }, { requiredKeys: ['url'] })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof({ weight: 6, arbitrary: declared }, anything)), async observations => {
        const report = await settled(() => engine.add(observations as ObservationInput[]))
        const { added = 0, revised = 0, unchanged = 0, removed = 0, failures = [] } = report ?? {}
        expect(added + revised + unchanged + removed + failures.length).toBe(observations.length)
        await settled(() => engine.export())
      }),
      { numRuns: 250, seed },
    )
  })

  it('still has all valid captures in a folder that a backup wrote', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'asof-any-'))
    try {
      const dir = path.join(root, 'copy')
      await engine.backup(dir)
      await engine.close()
      engine = await open(dir)
      const { results } = await engine.search('beside', { maxResults: 1000 })
      expect(results).toHaveLength(CALLS)
    } finally {
      await engine.close()
      await rm(root, { recursive: true, force: true })
    }
  })
})
