import { describe, expect, it } from 'vitest'
import { readMailDate } from '../../../extract/written-dates/mail-date.ts'

const whole = (text: string) => {
  const date = readMailDate(text)
  if (!date) return undefined
  const { year, month, day, hour, minute, second, offset } = date
  return `${year}-${month}-${day} ${hour}:${minute}:${second ?? '-'} ${offset}`
}

describe('readMailDate', () => {
  it.each([
    ['Tue, 05 Sep 2023 14:30:00 +0200', '2023-9-5 14:30:00 +02:00'],
    ['Tue, 5 Sep 2023 14:30 +0200 (CEST)', '2023-9-5 14:30:- +02:00'],
    ['5 September 23 14:30:00 UT', '2023-9-5 14:30:00 Z'],
    ['Tue, 05 Sep 2023 14:30:00 PST', '2023-9-5 14:30:00 -08:00'],
    ['Tue, 05 Sep 2023 14:30:00 A', '2023-9-5 14:30:00 Z'],
    ['Tue, 05 Sep 2023 14:30:00', '2023-9-5 14:30:00 '],
    ['Tuesday, 05-Sep-99 14:30:00 GMT', '1999-9-5 14:30:00 Z'],
    ['Tue Sep 05 2023 14:30:00 GMT-0700 (北米太平洋夏時間)', '2023-9-5 14:30:00 -07:00'],
    ['Tue Sep  5 14:30:00 2023', '2023-9-5 14:30:00 '],
    ['Tue Sep 05 14:30:00 CEST 2023', '2023-9-5 14:30:00 +02:00'],
    ['Tue Sep 05 14:30:00 +0000 2023', '2023-9-5 14:30:00 +00:00'],
  ])('reads %s', (text, expected) => {
    expect(whole(text)).toBe(expected)
  })

  it.each(['Tue, 05 Foo 2023 14:30:00 GMT', '05 Sep 2023', 'Tue, 05 Sep 2023 14:30:00 GMT and more', '', '2023-09-05'])(
    'finds no date in %j',
    text => {
      expect(whole(text)).toBeUndefined()
    },
  )
})
