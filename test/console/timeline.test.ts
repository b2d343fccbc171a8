import { describe, expect, it } from 'vitest'
import { Timeline } from '../../console/time/timeline.ts'

const bin = (at: string, endsAt: string, captures: number) => ({
  at: `${at}T00:00:00.000Z`,
  ends_at: `${endsAt}T00:00:00.000Z`,
  captures,
})
const now = Date.parse('2021-03-10T12:00Z')
const timeline = new Timeline(
  {
    interval: 'day',
    captures: 6,
    urls: 4,
    bins: [bin('2021-03-01', '2021-03-02', 2), bin('2021-03-04', '2021-03-05', 3), bin('2021-03-10', '2021-03-11', 1)],
  },
  now,
)
const endOf = (day: string) => Date.parse(`${day}T23:59:59.999Z`)

it('ends at the seal of a sealed index, whatever the clock says', () => {
  const captures = { captures: 1, urls: 1, interval: 'day' as const, sealed_at: '2024-01-05T12:00:00.000Z' }
  const bins = [{ at: '2024-01-03T00:00:00.000Z', ends_at: '2024-01-04T00:00:00.000Z', captures: 1 }]
  const timeline = new Timeline({ ...captures, bins }, Date.UTC(2026, 0, 1))
  expect([timeline.isSealed, timeline.now]).toEqual([true, Date.UTC(2024, 0, 5, 12)])
  expect(timeline.changes).toEqual([Date.UTC(2024, 0, 4) - 1, timeline.now])
})

describe('the history on the slider', () => {
  it('has a bin for every day from the first capture to now', () => {
    expect(timeline.bins.map(({ captures }) => captures)).toEqual([2, 0, 0, 3, 0, 0, 0, 0, 0, 1])
  })

  it('snaps a place of the line to the end of its day, and today to now', () => {
    expect(timeline.snap(Date.parse('2021-03-02T08:00Z'))).toBe(endOf('2021-03-02'))
    expect(timeline.snap(now - 1)).toBeUndefined()
    expect(timeline.snap(0)).toBe(endOf('2021-03-01'))
  })

  it('steps from one change of the index to the next', () => {
    expect(timeline.step(undefined, -1)).toBe(endOf('2021-03-04'))
    expect(timeline.step(endOf('2021-03-04'), -1)).toBe(endOf('2021-03-01'))
    expect(timeline.step(endOf('2021-03-01'), -1)).toBe(endOf('2021-03-01'))
    expect(timeline.step(endOf('2021-03-02'), 1)).toBe(endOf('2021-03-04'))
    expect(timeline.step(endOf('2021-03-04'), 1)).toBeUndefined()
    expect(timeline.step(undefined, -10)).toBe(endOf('2021-03-01'))
  })

  it('counts the captures up to a moment', () => {
    expect([undefined, endOf('2021-03-04'), endOf('2021-03-02')].map(at => timeline.capturesUpTo(at))).toEqual([
      6, 5, 2,
    ])
  })
})
