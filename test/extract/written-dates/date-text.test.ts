import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMachineDate, parseTextDate, parseUrlDate } from '../../../extract/written-dates/date-text.ts'

/** Languages of many sites. The table of month names contains others too. */
const languages = (
  'af am ar az be bg bn bs ca cs cy da de el en en-GB es et fa fi fil fr gl gu he hi hr hu hy id is it ja ka kk ko ky lb lo ' +
  'lt lv mk ml mr ms mt nb ne nl nn pa pl pt ro ru sk sl sq sr sr-Latn sv sw ta te th tk tr uk ur uz vi zh zh-TW'
).split(' ')

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
    ['20200531T102030-0700', '2020-05-31T10:20:30-07:00', 'second'],
    ['20200531T1020+09', '2020-05-31T10:20:00+09:00', 'minute'],
    ['20200531T102030.5+0900', '2020-05-31T10:20:30.500+09:00', 'second'],
    ['20200531102030+0900', '2020-05-31T10:20:30+09:00', 'second'],
    ['2020-05-31T102030-0700', '2020-05-31T10:20:30-07:00', 'second'],
    ['2020-05-31T10:20:30−07:00', '2020-05-31T10:20:30-07:00', 'second'],
    ['2020-05-31T10:20:30+02:00[Europe/Berlin]', '2020-05-31T10:20:30+02:00', 'second'],
    ['2020-05-31 10:20 UTC-7', '2020-05-31T10:20:00-07:00', 'minute'],
    ['2020-05-31 10:20 GMT+5:30', '2020-05-31T10:20:00+05:30', 'minute'],
    ['2020-05-31 10:20:30 JST', '2020-05-31T10:20:30+09:00', 'second'],
    ['2020-05-31 10:20:30 XYZ', '2020-05-31T10:20:30', 'second'],
    ['Sun May 31 2020 10:20:30 GMT+0200 (Mitteleuropäische Sommerzeit)', '2020-05-31T10:20:30+02:00', 'second'],
    ['Sun, 31 May 2020 10:20:30 EST', '2020-05-31T10:20:30-05:00', 'second'],
    ['2020/05', '2020-05-01', 'month'],
    ['2020-05-00', '2020-05-01', 'month'],
    ['2020', '2020-01-01', 'year'],
    ['2020/00/00', '2020-01-01', 'year'],
    ['1590920430', '2020-05-31T10:20:30Z', 'second'],
    ['1590920430000', '2020-05-31T10:20:30Z', 'second'],
    ["D:20230905101112+02'00'", '2023-09-05T10:11:12+02:00', 'second'],
    ['D:20230905101112Z', '2023-09-05T10:11:12Z', 'second'],
    ['D:20230905', '2023-09-05', 'day'],
    ['/Date(1590920430000)/', '2020-05-31T10:20:30Z', 'second'],
    ['/Date(1590920430000+0200)/', '2020-05-31T12:20:30+02:00', 'second'],
  ])('reads %s with the day and offset as written', (text, iso, precision) => {
    expect(parseMachineDate(text)).toEqual({ iso, precision })
  })

  it.each([
    '2020-13-01',
    '2020-02-30',
    '2019-02-29',
    '1970-01-01',
    '3020-01-01',
    'May',
    '',
    '12345',
    '/Date(x)/',
    'D:99',
  ])('returns undefined for %j', text => {
    expect(parseMachineDate(text)).toBeUndefined()
  })
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

  it.each([
    ['٣١ مايو ٢٠٢٠', 'Arabic digits'],
    ['31 أيار 2020', 'Levantine month names'],
    ['31 كانون الثاني 2020', 'month names of two words', '2020-01-31'],
    ['३१ मई २०२०', 'Devanagari digits'],
    ['31 พฤษภาคม 2563', 'the Thai calendar'],
    ['31 พ.ค. 2563', 'Thai abbreviations'],
    ['31/05/2563', 'the Thai calendar in numbers'],
    ['۱۱ خرداد ۱۳۹۹', 'the Persian calendar'],
    ['۱۳۹۹/۰۳/۱۱', 'the Persian calendar in numbers'],
    ['令和2年5月31日', 'Japanese eras'],
    ['民國109年5月31日', 'years of the Republic of China'],
    ['31 tháng 5, 2020', 'Vietnamese'],
    ['31 בְּמַאי 2020', 'Hebrew points and prefixes'],
    ['2020 m. gegužės 31 d.', 'words between the parts'],
    ['2020. gada 31. maijs', 'the year first, the month last'],
    ['31-May-20', 'a year of two digits'],
    ['dom. 31 mai 2020', 'a weekday'],
    ['mar. 5 sept. 2023', 'the French Tuesday before a day of September', '2023-09-05'],
    ['mar 5 set 2023', 'the Italian Tuesday', '2023-09-05'],
    ['mar, 5 dic 2023', 'the Spanish Tuesday', '2023-12-05'],
    ['mar., 5 dec. 2023', 'the Romanian Tuesday', '2023-12-05'],
    ['mar 5 mai 2023, 10:20', 'the Romanian Tuesday before a day of May', '2023-05-05T10:20:00'],
    ['mar. 5 mars 2024', 'the French Tuesday before a day of March', '2024-03-05'],
    ['mar. 5 de set. de 2023', 'the Galician Tuesday', '2023-09-05'],
    ['mer. 6 sept. 2023', 'the French Wednesday, a Sorbian March', '2023-09-06'],
    ['dt., 5 set. 2023', 'the Catalan Tuesday', '2023-09-05'],
    ['dydd Mawrth 5 Medi 2023', 'the Welsh Tuesday, which is also March', '2023-09-05'],
    ['mar. 05/09/2023', 'a weekday before a numeric date', '2023-09-05'],
    ['Mar 5th, 2024', 'March where no other month follows', '2024-03-05'],
  ])('reads %s (%s)', (text, _what, day = '2020-05-31') => {
    expect(parseTextDate(text, 'day-first')?.iso).toBe(day)
  })

  it('distinguishes the Croatian October from the Polish November by the full stop after the day', () => {
    expect(parseTextDate('5. listopada 2021.', 'day-first')?.iso).toBe('2021-10-05')
    expect(parseTextDate('5 listopada 2021', 'day-first')?.iso).toBe('2021-11-05')
  })

  it.each(languages)('reads long dates as CLDR formats them in the language %s', language => {
    const names = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
    for (let month = 0; month < 12; month++) {
      const at = Date.UTC(2021, month, 3 + month)
      const text = names.format(at)
      expect([text, parseTextDate(text, 'day-first')?.iso]).toEqual([text, new Date(at).toISOString().slice(0, 10)])
    }
  })

  it('returns the other reading of an ambiguous numeric date', () => {
    expect(parseTextDate('03/04/2020', 'day-first')).toEqual({
      iso: '2020-04-03',
      precision: 'day',
      swapped: '2020-03-04',
    })
    expect(parseTextDate('13/04/2020', 'day-first')?.swapped).toBeUndefined()
  })

  it('reads a time of day after the date, on the 24-hour and the 12-hour clock', () => {
    expect(parseTextDate('May 31, 2020 at 3:05 pm', 'day-first')?.iso).toBe('2020-05-31T15:05:00')
    expect(parseTextDate('Sun, 31 May 2020 10:20:30 GMT', 'day-first')?.iso).toBe('2020-05-31T10:20:30Z')
    expect(parseTextDate('Posted May 31, 2020 at 3:05 p.m. EDT', 'day-first')?.iso).toBe('2020-05-31T15:05:00-04:00')
    expect(parseTextDate('31 May 2020 10:20 GMT+0200 (CEST)', 'day-first')?.iso).toBe('2020-05-31T10:20:00+02:00')
    expect(parseTextDate('31 mai 2020 10:20 est', 'day-first')?.iso).toBe('2020-05-31T10:20:00')
  })

  it.each([
    'Room 31, 2020',
    '31 Foo 2020',
    '99/99/2020',
    '1.2.3.2020',
    'call 555-12-2020',
    'v 1.2.34.5',
    'In 2024 NIS2 will be law',
    'iPhone Pro 12, 2020',
    'May (31) 2020',
    '1441/10/08',
    `${'x '.repeat(30)}31.05.20`,
  ])('finds no date in %j', text => {
    expect(parseTextDate(text, 'day-first')).toBeUndefined()
  })

  it('returns an existing calendar day or nothing for any text', () => {
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
