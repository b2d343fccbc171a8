import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../../core/index.ts'
import { createService, parseRequest, type SearchResponse, searchRequest } from '../../../service/index.ts'
import { histories, seed } from '../../histories.ts'

const START_AT = Date.UTC(2024, 0, 1)
const STEP_MS = 10

const urls = ['https://a.example.com/', 'https://b.example.com/lamp', 'https://lamps.example.org/']

/** One observation of a page at an instant: a price, or its removal. */
type Look = { at: number; url: string; acquiredAt?: number; price: number } | { at: number; url: string; price: 'gone' }

const looks: fc.Arbitrary<Look[]> = fc
  .array(
    fc.record({
      url: fc.constantFrom(...urls),
      price: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constant('gone' as const)),
      declared: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map(list =>
    list.map(({ url, price, declared }, index): Look => {
      const at = START_AT + (index + 1) * STEP_MS
      if (price === 'gone') return { at, url, price }
      const past =
        declared === undefined ? {} : { acquiredAt: START_AT + Math.floor(((at - START_AT) * declared) / 20) }
      return { at, url, price, ...past }
    }),
  )

function captureOf({ url, price, acquiredAt }: Extract<Look, { price: number }>): CaptureInput {
  return {
    url,
    markdown: `# Storm lamp\n\nIt costs ${price}.`,
    siteName: 'Lamp',
    data: [{ '@type': 'Product', name: 'Storm lamp', offers: { price, priceCurrency: 'EUR' } }],
    acquiredAt,
  }
}

/** Adds observations to a new index and searches it. */
async function playing<T>(history: readonly Look[], ask: (engine: Engine) => Promise<T>): Promise<T> {
  let now = START_AT
  const engine = await open(':memory:', { now: () => now })
  try {
    for (const look of history) {
      now = look.at
      if (look.price === 'gone') await engine.remove(look.url)
      else await engine.add([captureOf(look)])
    }
    now = START_AT + 1000 * STEP_MS
    return await ask(engine)
  } finally {
    await engine.close()
  }
}

async function wizardsOf(engine: Engine, query: string, instant?: number): Promise<SearchResponse['wizards']> {
  const readLive = async () => Promise.reject(new Error('no live fetch here'))
  const onWizardFailure = (_: string, failure: unknown) => {
    throw failure
  }
  const query_time = instant === undefined ? {} : { query_time: new Date(instant).toISOString() }
  const request = parseRequest(searchRequest, { query, enable_wizards: true, ...query_time })
  const service = createService(engine, readLive, { wizardTimeoutMs: 60_000, onWizardFailure })
  return (await service.answer('search', request)).body.wizards
}

describe(`wizards in time (seed ${seed})`, () => {
  it('answer as of T exactly like over an index with only what was acquired up to T', async () => {
    let told = 0
    await fc.assert(
      fc.asyncProperty(looks, fc.integer({ min: 0, max: 110 }), async (history, moment) => {
        const instant = START_AT + moment
        const upTo = history.filter(look => ('acquiredAt' in look ? look.acquiredAt! : look.at) <= instant)
        const asked = async (engine: Engine, at?: number) => [
          await wizardsOf(engine, 'storm lamp', at),
          await wizardsOf(engine, 'lamp', at),
          await wizardsOf(engine, 'lamps.example.org', at),
        ]
        const whole = await playing(history, engine => asked(engine, instant))
        expect(whole).toEqual(await playing(upTo, engine => asked(engine)))
        for (const item of whole.flatMap(items => items ?? [])) {
          told++
          expect(Date.parse(item.acquired_at)).toBeLessThanOrEqual(instant)
          if (item.wizard !== 'product_prices') continue
          // The price must be one that the source had at exactly that instant.
          expect(
            history.some(
              look =>
                look.url === item.url &&
                look.price === item.price &&
                ('acquiredAt' in look ? look.acquiredAt : look.at) === Date.parse(item.acquired_at),
            ),
          ).toBe(true)
        }
      }),
      { numRuns: histories, seed },
    )
    expect(told).toBeGreaterThan(0)
  })
})
