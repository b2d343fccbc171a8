import { describe, expect, it } from 'vitest'
import { parseFeedDate } from '../../../crawler/discovery/feed-date.ts'

describe('parseFeedDate', () => {
  it.each([
    ['2023-09-05T14:30:00+02:00', '2023-09-05T12:30:00Z'],
    ['20230905T143000+0200', '2023-09-05T12:30:00Z'],
    ['2023-09', '2023-09-01T00:00:00Z'],
    ['Tue, 05 Sep 2023 14:30:00 +0200', '2023-09-05T12:30:00Z'],
    ['Tue, 05 Sep 2023 14:30:00 EST', '2023-09-05T19:30:00Z'],
    ['Tue, 05 Sep 2023 14:30 PDT', '2023-09-05T21:30:00Z'],
    ['Tue, 05 Sep 2023 14:30:00 CEST', '2023-09-05T12:30:00Z'],
    ['Tue, 05 Sep 23 14:30:00 M', '2023-09-05T14:30:00Z'],
    ['Tue Sep 05 2023 14:30:00 GMT+0200 (Central European Summer Time)', '2023-09-05T12:30:00Z'],
    ['Tue Sep 05 14:30:00 PDT 2023', '2023-09-05T21:30:00Z'],
  ])('reads %s', (text, iso) => {
    expect(parseFeedDate(text)).toBe(Date.parse(iso))
  })

  it.each(['yesterday', '2023-02-30', '31 Feb 2023 10:00 GMT', '2023-09-05T25:00:00Z', ''])(
    'returns undefined for %j',
    text => {
      expect(parseFeedDate(text)).toBeUndefined()
    },
  )
})
