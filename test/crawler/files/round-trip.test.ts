import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Engine, type ObservationInput, open } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { exportWarc } from '../../../crawler/files/export-warc.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import type { ImportReport } from '../../../crawler/files/import-report.ts'
import { importWarc } from '../../../crawler/files/import-warc.ts'
import {
  aliases,
  allDeclared,
  anyPlace,
  momentIn,
  openPlayed,
  play,
  questions,
  randomMerges,
  START_AT,
  type Step,
  script,
  url,
} from '../../core/history-script.ts'
import { examined, pageUrls, searchKnown } from '../../core/observers.ts'
import { histories, seed } from '../../histories.ts'

const END_AT = START_AT + 10_000

const forms = {
  JSONL: (from: Engine, to: Engine) =>
    importJsonl(
      to,
      Readable.from(exportJsonl(from)).map(line => Buffer.from(line)),
    ),
  WARC: (from: Engine, to: Engine) => importWarc(to, exportWarc(from)),
  'calls of add': async (from: Engine, to: Engine) => to.add(await observationsOf(from)),
} satisfies Record<string, (from: Engine, to: Engine) => Promise<Pick<ImportReport, 'added'> | unknown>>

async function observationsOf(engine: Engine): Promise<ObservationInput[]> {
  const observations: ObservationInput[] = []
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const part = await engine.export({ maxResults: 7, cursor: after })
    observations.push(...part.observations)
    after = part.next
    isLast = after === undefined
  }
  return observations
}

/** Claims of aliases to URLs that may have a page, at some time or never. */
const claim = fc.record({
  url: fc.oneof(url, fc.constant('https://pageless.example/')),
  alias: fc.constantFrom(...aliases),
  place: anyPlace,
})

/** Opens an empty index, fills it, and closes it after use. */
async function withCopy(
  from: Engine,
  copy: (from: Engine, to: Engine) => Promise<unknown>,
  use: (engine: Engine) => Promise<void>,
): Promise<void> {
  const { engine, close } = await openPlayed({ now: () => END_AT, searchThreads: 0, mergePolicy: () => [] })
  try {
    const report = await copy(from, engine)
    const isWhole = typeof report === 'object' && report !== null && 'failures' in report
    expect(isWhole && report).toMatchObject({ warnings: expect.toSatisfy(isNone), failures: expect.toSatisfy(isNone) })
    await use(engine)
    expect(await examined(engine)).toMatchObject({ sound: true, problems: [], strays: 0 })
  } finally {
    await close()
  }
}

const isNone = (value: unknown): boolean => value === 0 || (Array.isArray(value) && value.length === 0)

/** Everything that an index says as of some instants, without what depends on its layout or on deletions. */
async function said(engine: Engine, steps: readonly Step[], instants: readonly (number | undefined)[]) {
  const all: unknown[] = []
  for (const instant of instants) {
    const at = instant === undefined ? {} : { queryTime: instant }
    for (const { query, options } of questions) {
      const answer = await searchKnown(engine, query, { ...options, ...at })
      const { segments: _, purged: __, dropped: ___, ...receipt } = answer?.receipt ?? {}
      all.push({ query, results: answer?.results, receipt })
    }
    for (const url of [...pageUrls(steps), ...aliases])
      all.push(await engine.page(url, at), await engine.history(url, at))
  }
  for (const url of pageUrls(steps)) all.push(await engine.timeline(url))
  const { captures, urls, oldest, newest } = await engine.stats()
  return [...all, { captures, urls, oldest, newest }, await engine.suggest('ti'), await observationsOf(engine)]
}

/** Leaves out the number of what was declared: in a copy, it is everything. */
const undeclared = (all: readonly unknown[]): unknown[] =>
  all.map(value => {
    const { receipt, ...rest } = (value ?? {}) as { receipt?: object }
    return receipt ? { ...rest, receipt: { ...receipt, declared: 0 } } : value
  })

describe(`an export (seed ${seed})`, () => {
  it(`as ${Object.keys(forms).join(', ')} gives an empty index the same answers, statistics and receipts as of every instant`, async () => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.boolean(),
        fc.integer(),
        fc.array(anyPlace, { minLength: 1, maxLength: 2 }),
        fc.array(claim, { maxLength: 4 }),
        async (steps, isDeclared, merges, places, claims) => {
          const played = isDeclared ? allDeclared(steps) : steps
          const { engine, close } = await play(played, { mergePolicy: randomMerges(merges), endAt: END_AT })
          try {
            const claimed = claims.map(({ url, alias, place }) => {
              return { url, aliases: [alias], aliasedAt: momentIn(steps, place) }
            })
            expect((await engine.add(claimed)).failures).toEqual([])
            const instants = [undefined, ...places.map(place => momentIn(steps, place))]
            const before = await said(engine, steps, instants)
            for (const copy of Object.values(forms))
              await withCopy(engine, copy, async second => {
                const after = await said(second, steps, instants)
                expect(undeclared(after)).toEqual(undeclared(before))
                if (isDeclared) expect(after).toEqual(before)
                else
                  await withCopy(second, copy, async third => expect(await said(third, steps, instants)).toEqual(after))
              })
          } finally {
            await close()
          }
        },
      ),
      { numRuns: Math.ceil(histories / 2), seed },
    )
  })

  it('keeps pages of HTML as they are, whatever they contain', async () => {
    const engine = await open(':memory:', { now: () => END_AT })
    try {
      const long = (word: string, length: number) => `${word} `.repeat(length / (word.length + 1))
      const pages = [
        '<p>Nothing but a paragraph.</p>',
        `<title> ${long('title', 3000)}</title><meta name="author" content="${long('ann', 2000)}"><p>Long title, long author</p>`,
        `<meta name="description" content="${long('long', 20_000)}"><meta property="og:site_name" content="${long('site', 900)}"><p>Text</p>`,
        `<html lang="de-${'x'.repeat(60)}"><body><pre>  code\n\n\n  more</pre><p>a *b* _c_ # d</p></body></html>`,
        '<script type="application/ld+json">{"@type":"Product","name":"Lamp","gtin13":"4006381333931","offers":{"price":1}}</script><h1>Lamp</h1><p>A lamp.</p>',
        `<script type="application/ld+json">${JSON.stringify([{ '@type': 'Article', text: long('data', 300_000) }])}</script><p>Big data</p>`,
        '<script type="application/ld+json">{"@type":"NewsArticle","headline":"News","datePublished":"0312-05-01"}</script><p>Old news.</p>',
        '<title>\u0000 \ud800 odd</title><p>\u202e odd \ufeff characters</p>',
      ]
      await engine.add(pages.map((html, i) => ({ url: `https://a.org/${i}`, html, acquiredAt: START_AT + i })))
      await engine.add([
        { url: 'https://a.org/ancient', text: 'Ancient', publishedAt: Date.UTC(-300, 0, 1), acquiredAt: START_AT },
        { url: 'https://a.org/empty', text: '', acquiredAt: START_AT },
        { url: 'https://a.org/text', text: '# no *heading*\n  two  spaces ', acquiredAt: START_AT },
      ])
      const before = await observationsOf(engine)
      expect(before).toHaveLength(pages.length + 3)
      for (const copy of Object.values(forms))
        await withCopy(engine, copy, async second => expect(await observationsOf(second)).toEqual(before))
    } finally {
      await engine.close()
    }
  })
})
