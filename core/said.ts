import { printableLine } from './printable.ts'

/** Maximum length of what a stranger said in an error, in characters (code points). */
const MAX_SAID = 80

/**
 * What a site, or a document of it, said that made a call fail. A message is the word of asof, so it never has such a text: the text
 * is a detail of the error, and whoever shows it puts it between marks.
 */
export interface Said {
  /** Where the text was: the name of a header, or of a part of a document. */
  where: string
  /** The text on one line, without quotation marks, at most 80 characters. */
  text: string
}

/** Returns a stranger's text as a detail of an error: `details.said`. */
export function said(where: string, text: string): Said {
  // Only the beginning is read, because a header or a name may have many kilobytes.
  const line = printableLine(text.slice(0, 8 * MAX_SAID).toWellFormed()).replace(/["“”„‟«»]/g, "'")
  const points = [...line]
  return { where, text: points.length > MAX_SAID ? `${points.slice(0, MAX_SAID - 1).join('')}…` : line }
}

/**
 * Returns what a stranger said that made a call fail: `said` of the failure or of its details, which may come from another process
 * or server. `undefined` if it has none.
 */
export function saidIn(failure: unknown): Said | undefined {
  if (!isObject(failure)) return undefined
  const given = failure.said ?? (isObject(failure.details) ? failure.details.said : undefined)
  if (!isObject(given) || typeof given.where !== 'string' || typeof given.text !== 'string') return undefined
  return said(said('', given.where).text, given.text)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Returns the message of a failure for people who run a crawl or a command, with what a stranger said in quotation marks. */
export function messageWithSaid(failure: Error): string {
  const detail = saidIn(failure)
  return detail === undefined ? failure.message : `${failure.message} (${detail.where}: “${detail.text}”)`
}
