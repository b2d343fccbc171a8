import { hash } from 'node:crypto'
import { type AsofError, invalidOption } from '@asof/extract/errors'
import type { Position } from '../collection/value-order.ts'

/** The content of a cursor: the request that it continues, the instant of the answer, and the position at which the next page begins. */
export interface CursorState {
  /** Identifies the request: see {@link requestDigest}. */
  digest: string
  /** The instant of the answer, epoch ms. */
  asOf: number
  /** The time of the request for the first page, from which relative times count; epoch ms. */
  requestedAt: number
  /** Number of matches on the pages before. */
  offset: number
  /** The last capture of the page before, in an order by value. */
  after?: Position
}

/** Maximum length of a cursor, characters. A cursor contains a few numbers, a digest, and perhaps a URL. */
const MAX_CURSOR_CHARS = 12_000

/** Identifies a request by the parts that decide which captures match and in which order. @param parts - plain data. */
export function requestDigest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
}

export function writeCursor({ digest, asOf, requestedAt, offset, after }: CursorState): string {
  const state: unknown[] = [digest, asOf, requestedAt, offset]
  if (after) state.push(after.value, after.acquiredAt, after.url)
  if (after?.further) state.push(after.further)
  return Buffer.from(JSON.stringify(state)).toString('base64url')
}

/** Reads a cursor. @throws ASOF_INVALID_OPTION - no search wrote it. */
export function readCursor(cursor: string): CursorState {
  if (cursor.length > MAX_CURSOR_CHARS || !/^[\w-]+$/.test(cursor)) throw invalidCursor()
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw invalidCursor()
  }
  if (!Array.isArray(parts) || ![4, 7, 8].includes(parts.length)) throw invalidCursor()
  const [digest, asOf, requestedAt, offset, value, acquiredAt, url, further] = parts as unknown[]
  if (typeof digest !== 'string' || !isTime(asOf) || !isTime(requestedAt) || !isCount(offset)) throw invalidCursor()
  const state: CursorState = { digest, asOf, requestedAt, offset }
  if (parts.length === 4) return state
  if (!isValue(value) || !isTime(acquiredAt) || typeof url !== 'string') throw invalidCursor()
  if (parts.length === 7) return { ...state, after: { value, acquiredAt, url } }
  if (!Array.isArray(further) || !further.every(isValue)) throw invalidCursor()
  return { ...state, after: { value, further, acquiredAt, url } }
}

function isValue(value: unknown): value is number | null {
  return value === null || typeof value === 'number'
}

/** The greatest distance of a `Date` from 1970, milliseconds. */
const MAX_TIME_MS = 8.64e15

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The error for a cursor that no search wrote. */
export function invalidCursor(): AsofError {
  return invalidOption('cursor', 'is not a cursor of a search: pass the `next` of the previous page, unchanged')
}

/** The error for a cursor that another request returned. */
export function otherRequest(): AsofError {
  return invalidOption(
    'cursor',
    'belongs to another request: repeat the request of the first page, with the same query, mode, filters, times and sort',
  )
}
