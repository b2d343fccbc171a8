import type { WireErrorName } from '../../../service/index.ts'
import type { OwnFailure } from './responses.ts'

/** One way to call search, fetch and history: keyless, keyed, paid for by the request, or on a plan. */
export interface WayIn {
  /** Its part of the paths: `before` comes before the name of the service, `after` comes after it. */
  path: { before: string; after: string }
  operationIds: { searchPost: string; searchGet: string; fetch: string }
  /** How its operations are told apart in summaries. */
  kind: string
  /** Parameters of all its operations. */
  parameters: readonly object[]
  security: readonly object[]
  /** True if a successful answer has the header `X-Asof-Usage`. */
  showsUsage: boolean
  searchFailures: readonly WireErrorName[]
  fetchFailures: readonly WireErrorName[]
  /** Errors that only this way in has. */
  ownFailures?: { search: readonly OwnFailure[]; fetch: readonly OwnFailure[] }
}

/** Errors of a fetch on every way in. */
export const fetching: readonly WireErrorName[] = [
  'address_refused',
  'not_indexed',
  'target_not_found',
  'unprocessable',
  'robots_disallowed',
  'target_rate_limited',
  'target_unreachable',
  'target_timeout',
]
