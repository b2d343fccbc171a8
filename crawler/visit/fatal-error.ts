import { isAsofError } from '@asof/core'

/** True for an error after which the crawl cannot continue. False if only one page failed. */
export function isFatal(error: unknown): boolean {
  return !isAsofError(error) || error.code === 'ASOF_CLOSED' || error.code.startsWith('ASOF_STORE_')
}
