import { describe, expect, it } from 'vitest'
import { checkSearch } from '../../../core/internal.ts'
import {
  type CallService,
  engineOptions,
  readRequest,
  requestReading,
  searchRequest,
  toServiceError,
} from '../../../service/index.ts'

const checks: Pick<CallService<'search'>, 'check'> = {
  check: async (_name, request, { weeksInFilters = false } = {}) => {
    try {
      checkSearch(request.query, { ...engineOptions(request), weeksInFilters }, Date.UTC(2025, 0, 10))
    } catch (failure) {
      throw toServiceError(failure)
    }
  },
}

describe('the reading of a search with an invalid field', () => {
  it.each([
    ['names a filter in weeks too by default', undefined, ['max_results', 'published_after']],
    ['does not name a filter in weeks with weeksInFilters', { weeksInFilters: true }, ['max_results']],
  ] as const)('%s', async (_title, rules, paths) => {
    const body = { query: 'bridge', max_results: 0, published_after: '2w' }
    const failure = await readRequest(searchRequest, body, requestReading('search', checks, rules)).catch(
      error => error,
    )
    expect(failure).toMatchObject({ kind: 'invalid_request', details: paths.map(path => ({ path })) })
  })
})
