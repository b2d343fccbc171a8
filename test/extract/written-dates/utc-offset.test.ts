import { describe, expect, it } from 'vitest'
import { utcOffset } from '../../../extract/written-dates/utc-offset.ts'

describe('utcOffset', () => {
  it.each([
    ['Z', 'Z'],
    ['GMT', 'Z'],
    ['UT', 'Z'],
    ['+0000', '+00:00'],
    ['-0000', 'Z'],
    ['+02', '+02:00'],
    ['+0530', '+05:30'],
    ['-03:30', '-03:30'],
    ['−07:00', '-07:00'],
    ['GMT+0200', '+02:00'],
    ['GMT +2', '+02:00'],
    ['UTC-7', '-07:00'],
    ['UTC−7', '-07:00'],
    ['UTC+5:45', '+05:45'],
    ['EST', '-05:00'],
    ['PDT', '-07:00'],
    ['CEST', '+02:00'],
  ])('reads %s as %s', (zone, offset) => {
    expect(utcOffset(zone)).toBe(offset)
  })

  it.each(['IST', 'est', 'XYZ', '+1500', '+0260', 'GMT+99', ''])('knows no offset of %j', zone => {
    expect(utcOffset(zone)).toBe('')
  })
})
