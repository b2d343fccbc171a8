import { expect, it } from 'vitest'
import { findByTag } from '../../../extract/html/element-index.ts'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import { mathText } from '../../../extract/html/mathml-text.ts'

function text(mathml: string): string {
  const tree = parseHtml(`<math>${mathml}</math>`)
  return mathText(tree, findByTag(tree, 'math')[0]!)
}
const [a, b, x] = ['<mi>a</mi>', '<mi>b</mi>', '<mi>x</mi>']
const sum = `<mrow>${a}<mo>+</mo>${b}</mrow>`

it.each([
  ['a fraction', '<mfrac><mn>1</mn><mn>2</mn></mfrac>', '1/2'],
  ['a fraction after a whole number', '<mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>', '1 1/2'],
  ['a fraction of sums', `<mfrac>${sum}<mrow><mn>2</mn>${a}</mrow></mfrac>`, '(a + b)/(2a)'],
  ['a binomial coefficient', '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', '(n over k)'],
  ['a root', '<msqrt><mn>16</mn></msqrt>', '√16'],
  ['a root of a sum', `<msqrt>${a}<mo>+</mo>${b}</msqrt>`, '√(a + b)'],
  ['a cube root', `<mroot>${x}<mn>3</mn></mroot>`, '∛x'],
  ['a power', `<msup>${x}<mn>2</mn></msup>`, 'x²'],
  ['a power of a sum', `<msup>${sum}<mn>2</mn></msup>`, '(a + b)²'],
  ['a power of a sum in brackets', `<msup><mrow><mo>(</mo>${sum}<mo>)</mo></mrow><mn>2</mn></msup>`, '(a + b)²'],
  ['a power of a power', '<msup><msup><mn>2</mn><mn>3</mn></msup><mn>4</mn></msup>', '(2³)⁴'],
  ['a power that is an exponent', '<msup><mn>2</mn><msup><mn>3</mn><mn>4</mn></msup></msup>', '2^{3⁴}'],
  ['a power of a root', `<msup><msqrt>${x}</msqrt><mn>2</mn></msup>`, '(√x)²'],
  ['a power of a fraction', `<msup><mfrac>${a}${b}</mfrac><mn>2</mn></msup>`, '(a/b)²'],
  ['a power of an indexed name', `<msup><msub>${x}<mi>i</mi></msub><mn>2</mn></msup>`, 'xᵢ²'],
  ['a factor after a fraction', `<mfrac><mn>1</mn><mn>2</mn></mfrac>${x}`, '1/2·x'],
  ['a factor before a fraction', `${x}<mfrac><mn>1</mn><mn>2</mn></mfrac>`, 'x·1/2'],
  ['a factor after a root', `<msqrt>${x}</msqrt><mi>y</mi>`, '√x·y'],
  ['a sum after a root', `<msqrt>${x}</msqrt><mo>+</mo><mi>y</mi>`, '√x + y'],
  ['a nuclide', '<mmultiscripts><mi>C</mi><none/><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>', '¹⁴₆C'],
  ['marks after a base', `<mmultiscripts>${x}<mi>i</mi><none/><none/><mn>2</mn></mmultiscripts>`, 'xᵢ²'],
  ['marks before the second factor', `${a}<mmultiscripts>${x}<mprescripts/><none/><mn>2</mn></mmultiscripts>`, 'a ²x'],
  ['an index and a power', `<msubsup>${x}<mi>i</mi><mn>2</mn></msubsup>`, 'xᵢ²'],
  [
    'limits',
    `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub>${x}<mi>i</mi></msub>`,
    '∑ᵢ₌₁ⁿ xᵢ',
  ],
  ['accents', `<mover>${x}<mo>¯</mo></mover><mo>+</mo><mover><mi>v</mi><mo>→</mo></mover>`, 'x\u0304 + v\u20d7'],
  ['brackets', `<mfenced open="[" close="]" separators=";">${a}${b}</mfenced>`, '[a; b]'],
  [
    'a matrix',
    '<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>',
    '(1, 2; 3, 4)',
  ],
  ['factors without a sign', '<mn>2</mn><mo>\u2062</mo><mn>3</mn><mo>\u2062</mo><mi>x</mi>', '2·3x'],
  ['a function', '<mi>sin</mi><mo>\u2061</mo><mi>x</mi>', 'sin x'],
  ['a sign before a number', '<mo>−</mo><mn>5</mn>', '−5'],
  ['only what is shown', `<semantics>${x}<annotation>y</annotation></semantics><mphantom>${a}</mphantom>`, 'x'],
])('writes %s', (_case, mathml, expected) => {
  expect(text(mathml)).toBe(expected)
})

it('reads deep and long formulas in bounded time', () => {
  expect(text('<msqrt>'.repeat(100_000)).length).toBeLessThan(10_000)
  expect(text('<mn>12345</mn><mo>+</mo>'.repeat(100_000)).length).toBeLessThan(20_000)
})
