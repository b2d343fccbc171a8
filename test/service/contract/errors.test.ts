import { describe, expect, it } from 'vitest'
import { AsofError, type ErrorCode } from '../../../core/index.ts'
import { CrawlError } from '../../../crawler/errors.ts'
import { errorCodes } from '../../../extract/errors/errors.ts'
import { errorResponse, ServiceError, toServiceError, wireErrors } from '../../../service/index.ts'

describe('the error table', () => {
  const codes = Object.keys(errorCodes) as ErrorCode[]

  it.each(codes)('answers %s with its statusCode', code => {
    const failure = new AsofError(code, 'why')
    // The API reads pages of other sites only: a page that can't be read is no fault of the request.
    const isPage = code === 'ASOF_EXTRACT_TOO_LARGE' || code === 'ASOF_UNSUPPORTED_TYPE'
    expect(toServiceError(failure).statusCode).toBe(isPage ? 422 : failure.statusCode)
  })

  it.each(Object.keys(wireErrors) as (keyof typeof wireErrors)[])(
    'gives %s a status and the body of spec 2.7',
    kind => {
      const error = new ServiceError(kind, 'why')
      expect(error.statusCode).toBeGreaterThanOrEqual(400)
      expect(errorResponse.parse(error.toBody())).toEqual({ error: wireErrors[kind].error, message: 'why' })
    },
  )

  it.each([
    [404, 404, 'target_not_found'],
    [410, 404, 'target_not_found'],
    [400, 422, 'unprocessable'],
    [401, 422, 'unprocessable'],
    [451, 422, 'unprocessable'],
    [429, 429, 'target_rate_limited'],
    [500, 502, 'target_unreachable'],
    [599, 502, 'target_unreachable'],
  ])("maps a target's %i to %i %s", (target, status, kind) => {
    const error = toServiceError(new CrawlError('ASOF_FETCH_STATUS', 'no', { details: { status: target } }))
    expect([error.statusCode, error.kind]).toEqual([status, kind])
    expect((error.cause as AsofError).statusCode).toBe(status)
  })

  it("rounds a target's Retry-After up to a whole second, at least one", () => {
    const wait = (retryAfterMs: number) =>
      toServiceError(new CrawlError('ASOF_FETCH_STATUS', 'no', { details: { status: 429, retryAfterMs } }))
        .retryAfterSeconds
    expect([wait(0), wait(1), wait(1_500), wait(60_000)]).toEqual([1, 1, 2, 60])
  })

  it('replaces option names by wire names, except in quotations of the caller', () => {
    const failure = new AsofError('ASOF_INVALID_TIME', 'acquiredAfter: "queryTime" counts as queryTime does', {
      details: { field: 'acquiredAfter' },
    })
    expect(toServiceError(failure).toBody()).toMatchObject({
      message: 'acquired_after: "queryTime" counts as query_time does',
      details: [{ path: 'acquired_after', reason: '"queryTime" counts as query_time does' }],
    })
  })

  it('names the field of an option by its wire name', () => {
    const failure = new AsofError('ASOF_INVALID_TIME', 'no such day', { details: { field: 'publishedAfter' } })
    expect(toServiceError(failure).details).toEqual([{ path: 'published_after', reason: 'no such day' }])
    const named = new AsofError('ASOF_INVALID_TIME', 'queryTime: no such day', { details: { field: 'queryTime' } })
    expect(toServiceError(named).toBody()).toMatchObject({
      message: 'query_time: no such day',
      details: [{ path: 'query_time', reason: 'no such day' }],
    })
  })

  it.each([new Error('at /etc/asof'), new AsofError('ASOF_STORE_READ', 'at /etc/asof'), 'at /etc/asof', undefined])(
    'hides the message of an internal error from the caller, and keeps it as the cause: %s',
    failure => {
      const error = toServiceError(failure)
      expect(error.statusCode).toBe(500)
      expect(JSON.stringify(error.toBody())).not.toContain('/etc/asof')
      expect(error.cause).toBe(failure)
    },
  )

  it('answers a search that exceeded its processor time with 503 overloaded and a retry time', () => {
    const error = toServiceError(new AsofError('ASOF_SEARCH_TIMEOUT', 'the search took over 5000 ms of processor time'))
    expect([error.statusCode, error.kind, error.retryAfterSeconds]).toEqual([503, 'overloaded', 1])
  })
})
