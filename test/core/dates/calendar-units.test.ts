import { describe, expect, it } from 'vitest'
import { type CalendarUnit, calendarUnits } from '../../../core/dates/calendar-units.ts'
import { EARLIEST_AT } from '../../../extract/written-dates/timestamp.ts'

const at = (text: string) => Date.parse(text)

describe('a unit of the calendar', () => {
  it.each<[CalendarUnit, string, string]>([
    ['minute', '2024-02-29T12:34:00Z', '2024-02-29T12:35:00Z'],
    ['hour', '2024-02-29T12:00:00Z', '2024-02-29T13:00:00Z'],
    ['day', '2024-02-29', '2024-03-01'],
    ['week', '2024-02-26', '2024-03-04'],
    ['month', '2024-02-01', '2024-03-01'],
    ['year', '2024-01-01', '2025-01-01'],
  ])('%s: has the period that contains an instant', (unit, start, end) => {
    const { startOf, endOf, leastMs } = calendarUnits[unit]
    expect(startOf(at('2024-02-29T12:34:56Z'))).toBe(at(start))
    expect(startOf(at(start))).toBe(at(start))
    expect(startOf(at(end) - 1)).toBe(at(start))
    expect(endOf(at(start))).toBe(at(end))
    expect(at(end) - at(start)).toBeGreaterThanOrEqual(leastMs)
  })

  it('counts weeks from Monday, also before 1970, and takes year 1 for year 1', () => {
    expect(calendarUnits.week.startOf(at('1969-12-31'))).toBe(at('1969-12-29'))
    expect(calendarUnits.year.startOf(at('0001-06-01'))).toBe(at('0001-01-01'))
    expect(calendarUnits.month.endOf(at('0001-12-01'))).toBe(at('0002-01-01'))
  })

  it('begins a month or a year with the earliest instant if it is cut off there', () => {
    expect(calendarUnits.year.startOf(EARLIEST_AT)).toBe(EARLIEST_AT)
    expect(calendarUnits.month.startOf(EARLIEST_AT + 1)).toBe(EARLIEST_AT)
  })
})
