import { AsofError } from '@asof/core'

/**
 * Thrown to interrupt an answer that needs numbers which were not read yet, such as counts. They are then read, and the answer begins again.
 * It is always the same object, because a stack trace is slow to make.
 */
export const unknown = new Error('the answer begins again')

/** Returns the error of an answer that could not be proved. @param isStale - true if a copy of the term index lags behind. */
export function uncertain(reason: string, isStale = false): AsofError {
  const advice = isStale ? 'try again, and run asof cluster doctor if that does not help' : 'try again'
  return new AsofError('ASOF_UNCERTAIN', `the answer could not be proved exact: ${reason}; ${advice}`, {
    details: { isStale },
  })
}

/** @param what - `details.what` of the error. @param message - what a cluster cannot do, and what to do instead. */
export function unsupported(what: string, message: string): AsofError {
  return new AsofError('ASOF_UNSUPPORTED', message, { details: { what } })
}
