import { describe, expect, it } from 'vitest'
import { isSameText } from '../../../crawler/visit/same-text.ts'

const shared =
  'The harbor of the small town was rebuilt in three stages, and each of them took much longer than the council had planned '
const text = (part: string) =>
  `${shared}${part} when work began; later money ran out, so ministry officials paid for northern quay, lights and cranes.`

describe('two pages', () => {
  it('have the same text if case, white space and a few words differ', () => {
    expect(isSameText(text('it'), text('it  ').toUpperCase())).toBe(true)
    expect(isSameText(text('at first'), text('at last'))).toBe(true)
    expect(isSameText(text('for 25 euros, 5 °C and ✓'), text('for 25 euros, 5 °C and ✓ indeed'))).toBe(true)
  })
  it.each([
    ['for 25 euros', 'for 25 dollars'],
    ['at −5 °C', 'at 5 °C'],
    ['of < 8 knots', 'of > 8 knots'],
    ['on 5 May', 'on 5 June'],
    ['with 5 mW', 'with 5 MW'],
    ['from 25 to 31', 'from 31 to 25'],
    ['by 5%', 'by 5'],
    ['with cranes ✓', 'with cranes ✗'],
    ['in C++', 'in C#'],
  ])('have another text if a number, its sign or its unit differs: %s, %s', (a, b) => {
    expect(isSameText(text(a), text(b))).toBe(false)
  })
  it.each([
    ['at first', 'not at first'],
    ['and it was so', "and it wasn't so"],
    ['by the firm', 'by the firm Ludovico'],
    ['for Ada', 'for Grace'],
    ['ohne es', 'es'],
  ])('have another text if a negation or a name differs: %s, %s', (a, b) => {
    expect(isSameText(text(a), text(b))).toBe(false)
    expect(isSameText(text(b), text(a))).toBe(false)
  })
  it('have another text if more than a tenth of their words differ', () => {
    const one = 'while engineers and masons were still talking about stone, timber, sand and the price of it all'
    const other = 'after farmers, bakers or teachers had asked for schools, wells, roads or bread instead of walls'
    expect(isSameText(text(one), text(other))).toBe(false)
    expect(isSameText(text(one), text(one.replace('masons', 'divers')))).toBe(true)
  })
  it('have another text if they are too short to tell', () => {
    expect(isSameText('short', 'short')).toBe(false)
  })
})
