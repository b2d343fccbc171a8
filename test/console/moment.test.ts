import { describe, expect, it } from 'vitest'
import { readMoment } from '../../console/time/moment.ts'

const now = Date.parse('2021-03-10T12:00Z')

describe('a moment that was typed, or stands in an address', () => {
  it.each([
    ['2021-03-01', '2021-03-01T00:00:00.000Z'],
    [' 2021-03-01 14:30 ', '2021-03-01T14:30:00.000Z'],
    ['2021-03-01T14:30:15.250Z', '2021-03-01T14:30:15.250Z'],
    ['2021-03-01t14:30z', '2021-03-01T14:30:00.000Z'],
    ['2021-03-01 14:30 UTC', '2021-03-01T14:30:00.000Z'],
    ['2021-03-01T14:30+02:00', '2021-03-01T12:30:00.000Z'],
    ['2021-03-01T14:30:00-0530', '2021-03-01T20:00:00.000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000Z'],
    ['2d', '2021-03-08T12:00:00.000Z'],
    ['90 min', '2021-03-10T10:30:00.000Z'],
    ['3MO', '2020-12-10T12:00:00.000Z'],
    ['1y', '2020-03-10T12:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    const { moment, problem } = readMoment(text, now)
    expect([new Date(moment!).toISOString(), problem]).toEqual([expected, undefined])
  })

  it.each(['', '  ', 'now', 'Now'])('%j is now', text => {
    expect(readMoment(text, now)).toEqual({ moment: undefined })
  })

  it.each(['2031-01-01', '2021-03-10 12:01'])('%s has not come', text => {
    expect(readMoment(text, now)).toEqual({ moment: undefined, problem: 'future' })
  })

  it.each([
    'soon',
    '2025',
    'March 2021',
    'last march',
    '01/02/2021',
    '1.2.2021',
    '5',
    '2021-3-1',
    '30',
    'd',
    '-30d',
    '2021-13-45',
    '2021-02-29',
    '2021-02-30 10:00',
    '2021-03-01 25:00',
    '2021-03-01 10:61',
    '2021-03-01T10',
    '999999y',
  ])('%s is not understood', text => {
    expect(readMoment(text, now)).toEqual({ moment: undefined, problem: 'unread' })
  })
})
