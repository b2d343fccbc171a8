import { queryInstant } from '@asof/core/internal'
import type { FieldProblem } from '../contract/error-schema.ts'
import { refusedFields, toServiceError } from '../contract/errors.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { NamedTime } from './call.ts'
import { type CallName, calls, type RequestOf } from './calls.ts'

/**
 * Returns a request as of an instant that its caller names outside of its fields, such as in a path or with a key. The times have the forms of
 * `query_time`.
 *
 * @param named - the times, with the name of the header or path that carries each. If the list is empty, the request is returned unchanged.
 * @param now - the current time, epoch ms. Relative times count back from it.
 * @throws ServiceError invalid_request - a time is malformed or in the future, two times differ, or the call has no view of the past.
 */
export function asOf<N extends CallName>(
  name: N,
  request: RequestOf<N>,
  named: readonly NamedTime[],
  now: number,
): RequestOf<N> {
  const [first] = named
  if (!first) return request
  const { past } = calls[name]
  if (!past) throw noPast(first)
  expectOneInstant([...named, ...past.timesOf(request)], now)
  return past.at(request, first)
}

/** @throws ServiceError invalid_request - a time is malformed or in the future, or two times differ. */
export function expectOneInstant([first, ...rest]: readonly NamedTime[], now: number): void {
  if (!first) return
  const at = instantOf(first, now)
  const others = rest.map(other => ({ ...other, at: instantOf(other, now) }))
  const problems = others.flatMap((other): FieldProblem[] => {
    if (other.at === at) return []
    const reason = `means ${timestamp(other.at)}, but ${first.name} means ${timestamp(at)}: give one instant`
    return [{ path: other.name, reason }]
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
}

/** The error for a request that names an instant where nothing can be seen as of the past. */
export function noPast({ name }: NamedTime) {
  return refusedFields('invalid_request', [
    { path: name, reason: 'names an instant, but this path has no view of the past' },
  ])
}

function instantOf({ name, time }: NamedTime, now: number): number {
  try {
    if (time.trim() === '') throw refusedFields('invalid_request', [{ path: name, reason: 'names no instant' }])
    return queryInstant(time, now)
  } catch (failure) {
    const { message, details: [problem] = [] } = toServiceError(failure)
    throw refusedFields('invalid_request', [{ path: name, reason: problem?.reason ?? message }], { cause: failure })
  }
}
