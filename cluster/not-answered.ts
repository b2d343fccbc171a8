import { AsofError } from '@asof/core'

/** Thrown to begin an answer again when what it lacks is known. Made once, because a stack takes longer than what it interrupts. */
export const unknown = new Error('the answer begins again')

/** @param isStale - true if a copy of the term index lags behind. */
export function uncertain(reason: string, isStale = false): AsofError {
  const advice = isStale ? 'try again, and run asof cluster doctor if that does not help' : 'try again'
  return new AsofError('ASOF_UNCERTAIN', `the answer could not be proved exact: ${reason}; ${advice}`, {
    details: { isStale },
  })
}

/** @param what - for programs. @param message - what is refused, and what to do. */
export function unsupported(what: string, message: string): AsofError {
  return new AsofError('ASOF_UNSUPPORTED', message, { details: { what } })
}
