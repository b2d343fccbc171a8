import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMachineDate, parseTextDate, parseUrlDate } from '../../../core/extract/date-text.ts'

describe('parseMachineDate', () => {
  it.each([
    ['2020-05-31', '2020-05-31', 'day'],
    ['2020-5-3', '2020-05-03', 'day'],
    ['2020-05-31T10:20', '2020-05-31T10:20:00', 'minute'],
    ['2020-05-31 10:20:30 +0200', '2020-05-31T10:20:30+02:00', 'second'],
    ['2020-05-31T10:20:30.123456Z', '2020-05-31T10:20:30.123Z', 'second'],
    ['2020-05-31T23:30:00-08:00', '2020-05-31T23:30:00-08:00', 'second'],
    ['20200531', '2020-05-31', 'day'],
    ['20200531T10:20:30Z', '2020-05-31T10:20:30Z', 'second'],
    ['20200531T102030Z', '2020-05-31T10:20:30Z', 'second'],
    ['2020-05', '2020-05-01', 'month'],
    ['1590920430', '2020-05-31T10:20:30Z', 'second'],
    ['1590920430000', '2020-05-31T10:20:30Z', 'second'],
  ])('reads %s with the day and offset as written', (text, iso, precision) => {
    expect(parseMachineDate(text)).toEqual({ iso, precision })
  })

  it.each(['2020-13-01', '2020-02-30', '2019-02-29', '1970-01-01', '3020-01-01', 'May', '', '12345'])(
    'refuses %j',
    text => {
      expect(parseMachineDate(text)).toBeUndefined()
    },
  )
})

describe('parseTextDate', () => {
  it.each([
    '31 May 2020',
    'May 31, 2020',
    'Sunday, 31st of May 2020',
    '31. Mai 2020',
    '31 mai 2020',
    '31 de mayo de 2020',
    '31 maggio 2020',
    '31 мая 2020',
    '31 maja 2020',
    '31 Mayıs 2020',
    '2020年5月31日',
    '2020. 5. 31',
    '31.05.2020',
    '31/05/2020',
    '05/31/2020',
    '31-05-2020',
    '2020/05/31',
    '31-May-2020',
    '31 toukokuuta 2020',
    'Posted: 2020-05-31',
    '31.05.20',
    'on 31/05/20 in Rome',
  ])('finds the day in %j', text => {
    expect(parseTextDate(text, 'day-first')?.iso).toBe('2020-05-31')
  })

  it('takes the clock that follows, twelve hours too', () => {
    expect(parseTextDate('May 31, 2020 at 3:05 pm', 'day-first')?.iso).toBe('2020-05-31T15:05:00')
    expect(parseTextDate('Sun, 31 May 2020 10:20:30 GMT', 'day-first')?.iso).toBe('2020-05-31T10:20:30Z')
  })

  it.each([
    'Room 31, 2020',
    '31 Foo 2020',
    '99/99/2020',
    '1.2.3.2020',
    'call 555-12-2020',
    'v 1.2.34.5',
    `${'x '.repeat(30)}31.05.20`,
  ])('finds no date in %j', text => {
    expect(parseTextDate(text, 'day-first')).toBeUndefined()
  })

  it('gives a real calendar day or nothing, whatever it reads', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789-/.: TZ+MayJun年月日,'), maxLength: 60 }), text => {
        for (const date of [
          parseTextDate(text, 'month-first'),
          parseMachineDate(text),
          parseUrlDate(`https://a.example/${text}`),
        ]) {
          if (!date) continue
          const day = date.iso.slice(0, 10)
          expect(new Date(day).toISOString().slice(0, 10)).toBe(day)
          expect(Number.isNaN(Date.parse(date.iso))).toBe(false)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
