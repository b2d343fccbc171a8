import { describe, expect, it } from 'vitest'
import { parseInstant } from '../../../core/dates/instant.ts'

describe('parseInstant', () => {
  it.each([
    ['2024-05-10', '2024-05-10T00:00:00.000Z'],
    ['2024-05-10T14:23:45Z', '2024-05-10T14:23:45.000Z'],
    ['2024-05-10T14:23:45.25+02:00', '2024-05-10T12:23:45.250Z'],
    ['2024-05-10T14:23:45', '2024-05-10T14:23:45.000Z'],
    ['2024-05-10T14:23Z', '2024-05-10T14:23:00.000Z'],
    ['2024-05-10T14:23+0200', '2024-05-10T12:23:00.000Z'],
    ['2024-05-10T14:23:45+02', '2024-05-10T12:23:45.000Z'],
    ['2024-05-10 14:23:45 02', '2024-05-10T12:23:45.000Z'],
    [1715351025678, '2024-05-10T14:23:45.678Z'],
    [new Date(1715351025678), '2024-05-10T14:23:45.678Z'],
    ['2999-01-01', '2999-01-01T00:00:00.000Z'],
  ])('reads %j as %s', (value, expected) => {
    expect(new Date(parseInstant(value, 'acquiredAt')).toISOString()).toBe(expected)
  })

  it.each([
    '',
    '7d',
    '1715351025',
    '2024',
    '20240510',
    '2024-05-10T14',
    '2024-02-30',
    'Fri, 10 May 2024 14:23:45 GMT',
    new Date(Number.NaN),
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('rejects %j and names the field', value => {
    expect(() => parseInstant(value, 'publishedAt')).toThrowError(
      expect.objectContaining({
        code: 'ASOF_INVALID_TIME',
        message: expect.stringMatching(/^publishedAt: .*expected a date .* or a timestamp/),
        details: { field: 'publishedAt', value },
      }),
    )
  })
})
