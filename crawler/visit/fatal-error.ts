import { isAsofError } from '@asof/core'

/** True for an error after which the crawl cannot continue. False if only one page failed. */
export function isFatal(error: unknown): boolean {
  if (!isAsofError<string>(error)) return true
  return ['ASOF_CLOSED', 'ASOF_LEASE_LOST'].includes(error.code) || error.code.startsWith('ASOF_STORE_')
}
