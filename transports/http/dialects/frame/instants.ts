import { queryInstant } from '@asof/core/internal'
import { refusedFields, toServiceError } from '../../../../service/index.ts'
import type { SentRequest } from './dialect.ts'

/**
 * Returns the `query_time` of a request, which may name its instant in several fields. Undefined if it names none.
 *
 * @param named - the values of these fields, by name.
 * @throws ServiceError invalid_request - the instants of two fields differ, or one is not an instant.
 */
export function oneInstant(
  { requestedAt }: Pick<SentRequest, 'requestedAt'>,
  named: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const given = Object.entries(named).flatMap(([path, value]) => (value ? [{ path, value }] : []))
  const [first, ...others] = given.map(({ path, value }) => ({ path, value, at: instantOf(path, value, requestedAt) }))
  const other = others.find(({ at }) => at !== first?.at)
  if (!first || !other) return first?.value
  throw refusedFields('invalid_request', [
    { path: other.path, reason: `names another instant than ${first.path}` },
    { path: first.path, reason: `names another instant than ${other.path}` },
  ])
}

function instantOf(path: string, value: string, requestedAt: number): number {
  try {
    return queryInstant(value, requestedAt)
  } catch (failure) {
    const { kind, details = [] } = toServiceError(failure)
    throw refusedFields(
      kind,
      details.map(problem => ({ ...problem, path })),
      { cause: failure },
    )
  }
}
