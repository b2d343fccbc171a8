import { describe, expect, it } from 'vitest'
import { exponent, loweredForm, raisedForm, subscript } from '../../../extract/html/raised-text.ts'

const raised = (before: string, text: string, after = '', isReference = false) =>
  raisedForm({ before, text, after, isReference, isAfterItalics: false })
const written = (before: string, text: string, after = '') => {
  const form = raised(before, text, after)
  return form.kind === 'text' ? before + form.text + after : form.kind
}
const lowered = (before: string, text: string) => {
  const form = loweredForm({ before, text, after: '', isReference: false, isAfterItalics: false })
  return form.kind === 'text' ? before + form.text : form.kind
}

describe('raisedForm', () => {
  it.each([
    ['10', '6', '10⁶'],
    ['10', '−3', '10⁻³'],
    ['2', 'n', '2ⁿ'],
    ['x', 'n+1', 'xⁿ⁺¹'],
    ['x', 'n/2', 'x^{n/2}'],
    ['x', 'q', 'x^q'],
    ['5 km', '2', '5 km²'],
    ['m s', '−1', 'm s⁻¹'],
    ['mc', '2', 'mc²'],
    ['πr', '2', 'πr²'],
    ['(a+b)', '2', '(a+b)²'],
    ['sin', '2', 'sin²'],
    ['Ca', '2+', 'Ca²⁺'],
  ])('writes the exponent of %s and %s as %s', (before, text, expected) => {
    expect(written(before, text)).toBe(expected)
  })

  it.each([
    ['1', 'st', '', '1st'],
    ['XX', 'e', '', 'XXe'],
    ['M', 'me', '', 'Mme'],
    ['20', 'o', 'C', '20ºC'],
    ['Acme', 'TM', '', 'Acme™'],
  ])('writes the raised end of %s%s as %s%s', (before, text, after, expected) => {
    expect(written(before, text, after)).toBe(expected)
  })

  it('writes raised cents after the decimal sign of their price', () => {
    expect([written('$1,299', '99'), written('19', '99', ' €')]).toEqual(['$1,299.99', '19,99 €'])
  })

  it.each([
    ['the link', 'in 2019', '3', '', true],
    ['the number after a word', 'word', '2', '', false],
    ['the number after a sentence', 'end.', '4', '', false],
    ['the number after an acronym', 'the EU', '2', '', false],
    ['the letters after a name', 'Smith', 'a,b', '', false],
    ['the number before a name', '', '1', 'Department', false],
    ['the number in brackets', 'x', '[3]', '', false],
  ])('takes %s for the mark of a note', (_case, before, text, after, isReference) => {
    expect(raised(before, text, after, isReference)).toEqual({ kind: 'mark' })
  })

  it('tells the mass number of an element from the mark of a note', () => {
    expect(written('', '14', 'C')).toBe('¹⁴C')
    expect(written('', '235', '92U')).toBe('²³⁵92U')
    expect(written('', '235', '91U')).not.toContain('²³⁵')
    expect(written('', '1', 'I think')).toBe('mark')
  })

  it.each(['new', 'see the remark below', 'x'.repeat(30)])('takes %s after a word for a remark', text => {
    expect(written('Features', text)).toBe('remark')
  })
})

describe('loweredForm', () => {
  it.each([
    ['H', '2', 'H₂'],
    ['x', 'i', 'xᵢ'],
    ['V', 'max', 'Vₘₐₓ'],
    ['V', 'q', 'V_q'],
    ['a', 'i,j', 'a_{i,j}'],
    ['log', '10', 'log₁₀'],
  ])('writes the index of %s and %s as %s', (before, text, expected) => {
    expect(lowered(before, text)).toBe(expected)
  })

  it('keeps small print apart from the word before it', () => {
    expect(lowered('Price', 'incl. VAT')).toBe('remark')
  })
})

it('raises and lowers only texts of which Unicode has all characters', () => {
  for (const char of '0123456789+-=()abdefghijklmnoprstuvwxyz') expect([...exponent(char)]).toHaveLength(1)
  expect(exponent('-−')).toBe('⁻⁻')
  expect(subscript('βγρφχ')).toBe('ᵦᵧᵨᵩᵪ')
  expect(exponent('ABDEGHIJKLMNOPRTUVW') + exponent('βγδθφχ')).toBe('ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ')
  expect([exponent('ü'), subscript('bd')]).toEqual(['^ü', '_{bd}'])
})
