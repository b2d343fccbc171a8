import { printableLine } from '../characters/printable.ts'

/** Maximum length of a stranger's text in an error, in characters (code points). */
const MAX_SAID = 80

/**
 * The text of a stranger, such as a site or a document, that made a call fail. Messages of errors never contain such a text. It is a
 * detail of the error, and is shown in quotation marks, so that nobody takes it for words of asof.
 */
export interface Said {
  /** Says where the text comes from: the name of a header, or of a part of a document. */
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
 * Returns the text of a stranger in a failure, which may come from another process or server: its `said`, or that of its details.
 * `undefined` if it has neither.
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

/** Returns the message of a failure for people who run a crawl or a command, with a stranger's text in quotation marks. */
export function messageWithSaid(failure: Error): string {
  const detail = saidIn(failure)
  return detail === undefined ? failure.message : `${failure.message} (${detail.where}: “${detail.text}”)`
}
