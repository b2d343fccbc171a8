import { AsofError } from '@asof/extract/errors'

/** Queries may have at most this many characters (code points). */
export const MAX_QUERY_CHARS = 2048

/**
 * @throws ASOF_INVALID_QUERY - empty, only white space, or longer than {@link MAX_QUERY_CHARS}.
 */
export function checkQueryText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
  if (text.length > MAX_QUERY_CHARS && (text.length > 2 * MAX_QUERY_CHARS || [...text].length > MAX_QUERY_CHARS))
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_QUERY_CHARS} characters`)
}
