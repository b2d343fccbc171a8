import { describe, expect, it } from 'vitest'
import { expectNoTexts } from '../../../cluster/writing/expect-no-texts.ts'

describe('texts in fields', () => {
  it('are refused by a cluster, with the name of the field', () => {
    const refused = expect.objectContaining({
      code: 'ASOF_UNSUPPORTED',
      message: expect.stringContaining('fields.summary is a text'),
    })
    expect(() => expectNoTexts({ fields: { color: 'red', summary: { text: 'A lamp' } } })).toThrow(refused)
    expect(() => expectNoTexts({ fields: { notes: [{ text: 'A' }, { text: 'B' }] } })).toThrow('fields.notes')
  })

  it('are the only fields that it refuses', () => {
    expect(() => expectNoTexts({ fields: { color: 'red', price: 1, at: { at: 5 } } })).not.toThrow()
    expect(() => expectNoTexts({})).not.toThrow()
  })
})
