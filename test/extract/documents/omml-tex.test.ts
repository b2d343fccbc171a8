import { describe, expect, it } from 'vitest'
import { texOf } from '../../../extract/documents/omml-tex.ts'

const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
const e = (xml: string) => `<m:e>${xml}</m:e>`
const power = (base: string, exponent: string) => `<m:sSup>${e(r(base))}<m:sup>${r(exponent)}</m:sup></m:sSup>`
const fraction = (above: string, below: string, type = '') =>
  `<m:f><m:fPr>${type && `<m:type m:val="${type}"/>`}</m:fPr><m:num>${above}</m:num><m:den>${below}</m:den></m:f>`

describe('an equation of an Office document', () => {
  it.each([
    ['text', r('F=ma'), 'F=ma'],
    ['a power of ten', power('10', '6'), '10^6'],
    ['a power with several digits', power('10', '-12'), '10^{-12}'],
    ['an index', `<m:sSub>${e(r('H'))}<m:sub>${r('2')}</m:sub></m:sSub>${r('O')}`, 'H_2O'],
    ['both', `<m:sSubSup>${e(r('x'))}<m:sub>${r('i')}</m:sub><m:sup>${r('2')}</m:sup></m:sSubSup>`, 'x_i^2'],
    ['a fraction', fraction(r('1'), r('2')), '\\frac{1}{2}'],
    ['a linear fraction', fraction(r('a+b'), r('2'), 'lin'), '{a+b}/2'],
    [
      'a fraction to a power',
      `<m:sSup>${e(fraction(r('1'), r('3')))}<m:sup>${r('2')}</m:sup></m:sSup>`,
      '{\\frac{1}{3}}^2',
    ],
    ['a square root', `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(r('16'))}</m:rad>`, '\\sqrt{16}'],
    ['a cube root', `<m:rad><m:deg>${r('3')}</m:deg>${e(r('8'))}</m:rad>`, '\\sqrt[3]{8}'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('i'))}</m:nary>`,
      '\\sum_{i=1}^n i',
    ],
    [
      'an integral by default',
      `<m:nary><m:sub>${r('0')}</m:sub><m:sup>${r('1')}</m:sup>${e(r('x'))}</m:nary>`,
      '\\int_0^1 x',
    ],
    ['brackets', `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(r('a'))}</m:d>`, '[a]'],
    ['braces on one side', `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e(r('a'))}</m:d>`, '\\{a'],
    [
      'a matrix',
      `<m:m><m:mr>${e(r('1'))}${e(r('2'))}</m:mr><m:mr>${e(r('3'))}${e(r('4'))}</m:mr></m:m>`,
      '\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}',
    ],
    ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e(r('x'))}</m:func>`, '\\sin x'],
    ['an accent', `<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr>${e(r('v'))}</m:acc>`, '\\vec{v}'],
    ['signs of TeX', r('50% of {a}'), '50\\% of \\{a\\}'],
    ['deleted text', `${r('a')}<w:del>${r('b')}</w:del>`, 'a'],
  ])('writes %s as TeX', (_what, omml, tex) => {
    expect(texOf(`<m:oMath>${omml}</m:oMath>`)).toBe(tex)
  })
  it('keeps what is read of one that is too deep', () => {
    expect(texOf(`${r('a')}${'<m:e>'.repeat(10_000)}`)).toBe('a')
  })
})
