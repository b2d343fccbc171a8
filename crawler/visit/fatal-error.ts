import { isAsofError } from '@asof/core'

/** True if an error means that the crawl cannot continue, false if only one page failed. */
export function isFatal(error: unknown): boolean {
  return !isAsofError(error) || error.code === 'ASOF_CLOSED' || error.code.startsWith('ASOF_STORE_')
}
