import { describe, expect, it } from 'vitest'
import { timeIntent } from '../../../../core/search/analysis/time-intent.ts'

describe('the time intent of a query', () => {
  it.each([
    ['flood in Prague 14 August 2002', Date.UTC(2002, 7, 14)],
    ['2020-02-03 press conference', Date.UTC(2020, 1, 3)],
    [`${'word '.repeat(200)}— Somebody (@somebody) January 6, 2020`, Date.UTC(2020, 0, 6)],
  ])('is the day that it names: %s', (query, at) => {
    expect(timeIntent(query)).toBe(at)
  })

  it.each(['latest node release', 'what is the most recent census', "today's weather"])(
    'is what is newest: %s',
    query => {
      expect(timeIntent(query)).toBe('newest')
    },
  )

  it.each(['olympics 2024', 'version 10.2.20', 'recently', 'the river', '31 February 2020'])(
    'is none where it names none: %s',
    query => {
      expect(timeIntent(query)).toBeUndefined()
    },
  )
})
