import { describe, expect, it } from 'vitest'
import { checkSearch } from '../../../../core/engine/check-search.ts'
import type { SearchOptions } from '../../../../core/index.ts'
import { type CursorState, writeCursor } from '../../../../core/search/listing/cursor.ts'
import { parseSearch } from '../../../../core/search/parse-search.ts'

const NOW = Date.UTC(2026, 0, 1)
const after = { value: 3, acquiredAt: NOW, url: 'https://a.example/' }

/** Checks a request with a cursor of its own that has been changed. */
function check(options: SearchOptions, changes: Partial<CursorState>): void {
  const { digest = '' } = parseSearch('lamp', { ...options, offset: 0 }).listing ?? {}
  const state = { digest, asOf: NOW, requestedAt: NOW, offset: 10, ...changes }
  checkSearch('lamp', { ...options, cursor: writeCursor(state) }, NOW)
}

const rejected = expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'cursor' } })

describe('a cursor that a caller has changed', () => {
  it('does not skip more than 10,000 matches, unless it continues an order by value', () => {
    check({}, { offset: 10_000 })
    expect(() => check({}, { offset: 10_001 })).toThrow(rejected)
    check({ sort: 'price' }, { offset: 1e9, after })
    expect(() => check({ sort: 'price' }, { offset: 10 })).toThrow(rejected)
    expect(() => check({}, { after })).toThrow(rejected)
  })

  it('has no time that a date cannot have', () => {
    const timed: SearchOptions = { acquiredAfter: '1d' }
    check(timed, { requestedAt: NOW - 1 })
    expect(() => check(timed, { requestedAt: -1e300 })).toThrow(rejected)
    expect(() => check({}, { asOf: -8.64e15 - 1 })).toThrow(rejected)
  })
})
