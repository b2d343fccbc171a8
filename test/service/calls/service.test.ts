import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { createService, parseRequest, type Service, searchRequest } from '../../../service/index.ts'

let engine: Engine
let service: Service

beforeAll(async () => {
  engine = await open(':memory:')
  service = createService(engine, () => Promise.reject(new Error('nothing is fetched here')))
})
afterAll(async () => {
  await engine.close()
})

describe('checkSearch', () => {
  const filters = ['acquired_after', 'acquired_before', 'published_after', 'published_before']

  it('rejects weeks in all time filters by default', async () => {
    const request = parseRequest(searchRequest, {
      query: 'bridge',
      ...Object.fromEntries(filters.map(filter => [filter, '2w'])),
    })
    const reason = expect.stringContaining('"2w" is in weeks, which only query_time accepts here')
    await expect(service.check('search', request)).rejects.toMatchObject({
      kind: 'invalid_request',
      details: filters.map(path => ({ path, reason })),
    })
  })

  it.each(filters)('accepts weeks in %s with weeksInFilters', async filter => {
    const request = parseRequest(searchRequest, { query: 'bridge', [filter]: '2w' })
    await expect(service.check('search', request, { weeksInFilters: true })).resolves.toBeUndefined()
  })

  it('with weeksInFilters lists weeks among the expected forms of a filter', async () => {
    const request = parseRequest(searchRequest, { query: 'bridge', acquired_after: 'soon' })
    await expect(service.check('search', request, { weeksInFilters: true })).rejects.toMatchObject({
      details: [{ path: 'acquired_after', reason: expect.stringContaining('7d, 2w, 1mo') }],
    })
  })

  it('rejects wizards under the policy of zero data retention, with weeksInFilters too', async () => {
    const request = parseRequest(searchRequest, { query: 'bridge', enable_wizards: true })
    const check = service.check('search', request, { policy: { zdr: true }, weeksInFilters: true })
    await expect(check).rejects.toMatchObject({ kind: 'zdr_wizards_unsupported' })
  })
})
