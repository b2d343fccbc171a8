import { describe, expect, it } from 'vitest'
import { AsofError } from '../../../extract/errors/errors.ts'
import { messageWithSaid, said, saidIn } from '../../../extract/errors/said.ts'

describe('what a stranger said', () => {
  it.each([
    ['text/html', 'text/html'],
    ['a\r\nb\u202ec', 'a bc'],
    ['it ends” and goes "on"', "it ends' and goes 'on'"],
    ['x'.repeat(5_000), `${'x'.repeat(79)}…`],
    ['🚢'.repeat(81), `${'🚢'.repeat(79)}…`],
    ['🚢'.repeat(80), '🚢'.repeat(80)],
    [' '.repeat(100_000), ''],
  ])('is one line of at most 80 characters without quotation marks: %#', (given, expected) => {
    expect(said('Location', given)).toEqual({ where: 'Location', text: expected })
  })

  it('is found in the details of an error, also of one that another process made', () => {
    const detail = said('Location', 'https://other.example/')
    const error = new AsofError('ASOF_UNSUPPORTED_TYPE', 'cannot be read', { details: { said: detail } })
    expect(saidIn(error)).toEqual(detail)
    const forged = { details: { said: { where: 'Loc\nation', text: 'y'.repeat(300) } } }
    expect(saidIn(forged)).toEqual({ where: 'Loc ation', text: `${'y'.repeat(79)}…` })
    for (const none of [undefined, 'x', {}, { details: [] }, { details: { said: 'x' } }])
      expect(saidIn(none)).toBe(undefined)
    expect(messageWithSaid(error)).toBe('cannot be read (Location: “https://other.example/”)')
  })
})
