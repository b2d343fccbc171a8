import { ServiceError } from '../contract/errors.ts'
import { timestamp } from '../contract/wire-form.ts'

/**
 * Returns the error for a page that is not in the index now, or was not in the index at `instant`.
 *
 * @param advice - what the caller can do; appended to the message if `instant` is undefined.
 */
export function notIndexed(instant: number | undefined, advice = ''): ServiceError {
  const message =
    instant === undefined
      ? `The index holds no page at this URL${advice}.`
      : `The index held no page at this URL as of ${timestamp(instant)}.`
  return new ServiceError('not_indexed', message)
}
