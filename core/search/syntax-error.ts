import { AsofError } from '@asof/extract/errors'

/** @param at - UTF-16 offset of the error. */
export function syntaxError(message: string, at: number): AsofError {
  return new AsofError('ASOF_INVALID_QUERY', `query: ${message} (at position ${at})`, {
    details: { field: 'query', position: at },
  })
}
