import { expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import type { Asking } from '../../../../../transports/http/dialects/frame/dialect.ts'
import { mapPages, type WantedMap, withScheme } from '../../../../../transports/http/dialects/frame/map-pages.ts'
import type { DialectWarning } from '../../../../../transports/http/dialects/frame/warning.ts'

/**
 * A stand-in for the calls of a site.
 *
 * @param pages - the number of pages of the site.
 * @param failsAt - the number of the call that fails.
 */
function site(pages: number, failsAt = Number.POSITIVE_INFINITY) {
  const limits: unknown[] = []
  const asking = {
    call: async (_name: string, { limit, cursor = '0' }: { limit: number; cursor?: string }) => {
      limits.push(limit)
      if (limits.length === failsAt) throw new ServiceError('insufficient_credits', 'No credits.')
      const from = Number(cursor)
      const urls = Array.from({ length: Math.min(limit, pages - from) }, (_, i) => ({
        url: `https://a.example/${from + i}`,
        title: '',
        acquired_at: '2025-01-01T00:00:00.000Z',
      }))
      const end = from + urls.length
      return { body: { urls, next: end < pages ? `${end}` : undefined } }
    },
  } as unknown as Asking
  const map = async (wanted: Omit<WantedMap, 'request'>) => {
    const warnings: DialectWarning[] = []
    const found = await mapPages(asking, { request: { url: 'https://a.example/' }, ...wanted }, warnings)
    return { found: found.length, limits, warnings: warnings.map(({ message }) => message) }
  }
  return { map }
}

const even: WantedMap['keep'] = pages => pages.filter(({ url }) => /[02468]$/.test(url))

it.each([
  [
    { pages: 30, limit: 10 },
    { found: 10, limits: [10] },
  ],
  [
    { pages: 30, limit: 50 },
    { found: 30, limits: [50] },
  ],
  [
    { pages: 20_000, limit: 12_000 },
    { found: 12_000, limits: [5_000, 5_000, 2_000] },
  ],
  [
    { pages: 7_000, limit: 100_000 },
    { found: 7_000, limits: [5_000, 5_000] },
  ],
  [
    { pages: 0, limit: 10 },
    { found: 0, limits: [10] },
  ],
])('of %j come %j', async ({ pages, limit }, expected) => {
  expect(await site(pages).map({ limit })).toEqual({ ...expected, warnings: [] })
})

it('of pages of which some are left out, so many are looked at as the limit pays for, and a warning says so', async () => {
  expect(await site(4_000).map({ limit: 10, keep: even })).toEqual({ found: 10, limits: [5_000], warnings: [] })
  expect(await site(4_000).map({ limit: 5_000, keep: even })).toEqual({ found: 2_000, limits: [5_000], warnings: [] })
  expect(await site(9_000).map({ limit: 5_000, keep: even })).toEqual({
    found: 2_500,
    limits: [5_000],
    warnings: ['only the first 5000 pages of the site were looked at'],
  })
})

it('the pages that were paid for are returned if a further call fails, and a first call fails the request', async () => {
  expect(await site(20_000, 2).map({ limit: 12_000 })).toMatchObject({
    found: 5_000,
    warnings: ['only the first 5000 pages: No credits.'],
  })
  await expect(site(20_000, 1).map({ limit: 12_000 })).rejects.toThrow('No credits.')
})

it('an address without a scheme gets one', () => {
  expect(withScheme('a.example/docs')).toBe('https://a.example/docs')
  expect(withScheme('http://a.example')).toBe('http://a.example')
})
