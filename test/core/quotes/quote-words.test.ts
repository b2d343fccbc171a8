import { describe, expect, it } from 'vitest'
import { QuoteWords, TextWords } from '../../../core/quotes/quote-words.ts'

const words = (text: string) => new TextWords(text).words
const has = (text: string, quote: string) => new QuoteWords(quote).in(new TextWords(text)) !== undefined

describe('the words of a text', () => {
  it('are letters and digits, with apostrophes, decimals and the signs that change a number', () => {
    expect(words('“It’s −3.5 °C”, she said – 1,000 m (well-known).')).toEqual([
      "It's",
      '-3.5°',
      'C',
      'she',
      'said',
      '1000',
      'm',
      'well',
      'known',
    ])
    expect(words('pages 3-5, $5 and 20 %')).toEqual(['pages', '3', '-', '5', '$5', 'and', '20%'])
  })

  it.each<[string, string[]]>([
    ['x <= 5, y >= 7 != 8 ± 0.2', ['x', '≤5', 'y', '≥7', '≠8', '±0.2']],
    ['a && b || !c == d', ['a', '&&', 'b', '||', '!', 'c', '==', 'd']],
    ['C++, C#, C♯, .NET, A+, A− and i++', ['C++', 'C#', 'C#', '.NET', 'A+', 'A-', 'and', 'i++']],
    ['5+3 and 5 + 3, 18+', ['5', '+', '3', 'and', '5', '+', '3', '18+']],
    ['✅ ❌ ✓ ✔ ✗ ✘ ☑ 🇩🇪', ['✅', '❌', '✓', '✓', '✗', '✗', '☑', '🇩', '🇪']],
    ['a -> b → c => d', ['a', '→', 'b', '→', 'c', '⇒', 'd']],
    ['$5, 5 €, € 5, -$5, US$5', ['$5', '5€', '€5', '-$5', 'US', '$5']],
    ['25 ºC, 25℃, 25°C', ['25°', 'C', '25°', 'C', '25°', 'C']],
    ['10⁶ 10^6 10⁻⁶ 10^{-6} m²', ['10^6', '10^6', '10^-6', '10^-6', 'm^2']],
    ['½, 1½, 1⁄2, 2 3/4 and .5', ['1/2', '1+1/2', '1/2', '2+3/4', 'and', '0.5']],
    ['＜５ ５％ ＋５', ['<5', '5%', '+5']],
    ['List<int> & co | Acme™ • ● item ━━ =====', ['List', '<', 'int', '>', 'co', 'Acme', 'item']],
    ['x − 1, x-1, n + 1, a–b', ['x', '-', '1', 'x', '-', '1', 'n', '+', '1', 'a', '-', 'b']],
    ['x*y, x * y, x/y, 5 / 3, a·b and/or, R & D', 'x * y x * y x / y 5 / 3 a b and or R & D'.split(' ')],
    ['a **bold** word, *one* two*s*, pri*ce*s\n* item', 'a bold word one two s pri ce s item'.split(' ')],
    ['5 mg/kg, 70 km/h, $5/month', ['5', 'mg', '/', 'kg', '70', 'km', '/', 'h', '$5', '/', 'month']],
    ['1e-5, 1.5E−5, 1e+5, 2E5', ['1e-5', '1.5e-5', '1e5', '2e5']],
    ['3:1, 3 : 1, 7:30 and note: 5', ['3:1', '3:1', '7:30', 'and', 'note', '5']],
    ['30′ 30″ 5\'10" 48°30’', ['30′', '30″', '5′', '10″', '48°', '30′']],
    ['“in 1999” and "in 2001", the \'80s\'', ['in', '1999', 'and', 'in', '2001', 'the', '80s']],
    ['[x] done [ ] open [X] done, a[i]', ['☑', 'done', '☐', 'open', '☑', 'done', 'a', 'i']],
    ['[0, 1) and (0, 1]', ['[', '0', '1', 'and', '0', '1', ']']],
    ['Ca²⁺ and Cl⁻', ['Ca^2+', 'and', 'Cl-']],
    ['a += b -= c', ['a', '+=', 'b', '-=', 'c']],
    ['wow!important, !ready', ['wow', 'important', '!', 'ready']],
  ])('are the signs of %s, each with its number', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it.each(['-', '‐', '‑', '‒', '–', '—', '−', '﹣', '－'])(
    'have %s as a minus before a number and between numbers, and nowhere else',
    dash => {
      expect(words(`at ${dash}5 or (${dash}5)`)).toEqual(['at', '-5', 'or', '-5'])
      expect(words(`5${dash}10, F-16, 2024${dash}05${dash}10, ab ${dash} cd, 5 ${dash} 10`)).toEqual(
        ['5 - 10', 'F 16', '2024 - 05 - 10', 'ab cd', '5 - 10'].flatMap(text => text.split(' ')),
      )
      expect(words(`10${dash}${dash}5`)).toEqual(['10', '-5'])
      expect(words(`so${dash}${dash}5 of *them*${dash}5`)).toEqual(['so', '5', 'of', 'them', '5'])
    },
  )

  it('have the typographic minus also with a space behind, unless it subtracts', () => {
    expect(words('fell to − 5 °C, x − 5, (7) − 5')).toEqual('fell to -5° C x - 5 7 - 5'.split(' '))
  })

  it('have no signs between groups of digits', () => {
    for (const number of [
      '1000000',
      '1,000,000',
      '1 000 000',
      '1\u202F000\u202F000',
      "1'000'000",
      '1’000’000',
      '10,00,000',
      '1.000.000',
    ])
      expect([number, words(`has ${number} seats`)]).toEqual([number, ['has', '1000000', 'seats']])
    expect(words('1.000 and 1,5 and 1.5 and 1,234.50')).toEqual(['1.000', 'and', '1,5', 'and', '1.5', 'and', '1234.50'])
    expect(words('in 2010 100 of B12 345')).toEqual(['in', '2010', '100', 'of', 'B12', '345'])
  })

  it('are no marks of Markdown at the start of a line', () => {
    expect(words('> said\n>> more\n+ item\n> 10 kg')).toEqual(['said', 'more', 'item', '>10', 'kg'])
  })

  it('are single characters in scripts without spaces', () => {
    expect(words('東京の tower')).toEqual(['東', '京', 'の', 'tower'])
    expect(words('ที่')).toHaveLength(3)
  })

  it('are compared in one form: ligatures, widths, accents, soft hyphens', () => {
    expect(words('ﬁnal ＡＢＣ e\u0301te\u0301 hy\u00adphen zero\u200bwidth')).toEqual([
      'final',
      'ABC',
      'été',
      'hyphen',
      'zerowidth',
    ])
  })

  it('are no marks that only say how the symbol before them is drawn', () => {
    expect(words('❤️ love ✔️ it ©️ 葛\u{E0100}a')).toEqual(['❤', 'love', '✓', 'it', '葛', 'a'])
    expect(words('voi\uFE0Fla')).toEqual(['voila'])
  })

  it('are Kana with their voicing marks', () => {
    expect(words('か\u3099く ﾊﾟﾝ')).toEqual(['が', 'く', 'パ', 'ン'])
  })

  it.each(['a', '1', '1,', "a'", '-', '>', '😀', '$5 '])('are read from a text of nothing but %s', part => {
    expect(() => words(part.repeat(3_000_000 / part.length))).not.toThrow()
  })

  it('keep their places in the text', () => {
    const { starts, ends } = new TextWords('a “bc” d')
    expect([starts, ends]).toEqual([
      [0, 3, 7],
      [1, 5, 8],
    ])
  })
})

describe('exclamation marks', () => {
  it.each([
    ['n! and (n - 1)! and 2k! and 5! = 120', 'n ! and n - 1 ! and 2k ! and 5 ! = 120'],
    [
      'Great! Only 5! Vitamin C! He and I! (yes!) (B)! Plan B! It is a!',
      'Great Only 5 Vitamin C He and I yes B Plan B It is a',
    ],
    ['x = n!/(k! m!)', 'x = n ! / k ! m !'],
    ['`n`! and *n*!, no!!', 'n ! and n ! no'],
  ])('are words where they are those of a factorial: %s', (text, expected) => {
    expect(words(text)).toEqual(expected.split(' '))
  })
})

describe('operators before names', () => {
  it.each([
    ['read *ptr now', 'read &ptr now', false],
    ['(*args)', '(**args)', false],
    ['y = *p', 'y = p', false],
    ['f(&x)', 'f(x)', false],
    ['cos(−t)', 'cos(t)', false],
    ['the args in it', 'call(*args)', false],
    ['args', 'call(*args)', true],
    ['t', 'cos(-t)', false],
    ['it was *really good', 'it was really good', true],
    ['it was *really* good', 'it was really good', true],
    ['price *plus tax', 'price plus tax', true],
    ['use \\*ptr now', 'use *ptr now', true],
    ['in Rust, &str is one', 'in Rust, &str is one', true],
    ['R&B and Q & A', 'R&B and Q & A', true],
    ['cafés &eacute; tea', 'cafés &eacute; tea', true],
  ])('count where both sides have one, or where it is sure: %s, %s', (quote, text, expected) => {
    expect(has(text, quote)).toBe(expected)
  })
  it('are looked for further on', () => {
    expect(new QuoteWords('read &ptr').in(new TextWords('read *ptr, then read &ptr'))).toEqual([3, 5])
  })
})

describe('a quote', () => {
  it('is in a text whatever the white space, punctuation and quotation marks are', () => {
    expect(has('The ferry leaves\nat 7:30 – “sharp”.', '"ferry leaves at 7:30, \'sharp\'"')).toBe(true)
  })

  it('is in a text whatever the white space between a number and its sign, and the marks around an option', () => {
    for (const quote of ['a share of 2.9  %', 'a share of 2.9\n%', 'a share of **2.9**\n %'])
      expect([quote, has('a share of 2.9 % in all', quote)]).toEqual([quote, true])
    expect(has('The flags -a, -u are new', 'The flags `-a`, `-u` are new')).toBe(true)
    expect(has('Pass (-v) for more', 'Pass (`-v`) for more')).toBe(true)
    expect(has('Use journalctl -u asof', 'Use **journalctl** -u asof')).toBe(true)
    expect(has('Read f(-x) first', 'Read f(x) first')).toBe(false)
    expect(has('Take 2 * -x here', 'Take 2 * x here')).toBe(false)
    expect(has('of 5\n€ 20 each', 'of 5')).toBe(true)
  })

  it('is not in a text with other words, numbers, or parts of words', () => {
    for (const quote of ['ferries leave', 'ferry at leaves', 'leaves at 7', 'erry leaves', 'leaves at 7 31'])
      expect([quote, has('The ferry leaves at 7:30', quote)]).toEqual([quote, false])
    expect(has('It costs -5', 'costs 5')).toBe(false)
    expect(has('Mix 3:1 with water', '1 with water')).toBe(false)
    expect(has('The result of 5 − 3 is 2', 'result of 5 3')).toBe(false)
    expect(has('It costs 5.5', 'costs 5')).toBe(false)
    expect(has('It has 10² parts', 'has 102 parts')).toBe(false)
    expect(has('It has 10² parts', 'has 10² parts')).toBe(true)
    expect(has('at least -5 points', '5 points')).toBe(false)
    expect(has('It costs 5 % more', 'It costs 5')).toBe(false)
  })

  it('may begin with another letter case, but nothing else may', () => {
    expect(has('The ferry', 'the ferry')).toBe(true)
    expect(has('see the ferry', 'The ferry')).toBe(true)
    expect(has('The Ferry', 'the ferry')).toBe(false)
  })

  it('may leave out words where it has an ellipsis, in order', () => {
    for (const gap of ['…', '...', '[…]', '[ ... ]', '(…)'])
      expect(has('one two three four five', `one two ${gap} five`)).toBe(true)
    expect(has('one two three four five', 'four … two')).toBe(false)
    // Parts do not overlap.
    expect(has('one two', 'one two … two')).toBe(false)
  })

  it('may end behind a number with a quotation mark that opens before it', () => {
    expect(has('She said “it was in 1999” and left', 'it was in 1999” and left')).toBe(true)
    expect(has('She said "it was in 1999" and left', 'it was in 1999" and')).toBe(true)
    expect(has('a 27" screen', "a 27' screen")).toBe(false)
    expect(has('a 27″ screen', 'a 27" screen')).toBe(true)
  })

  it('may have links of Markdown', () => {
    expect(has('See the old town for more', 'See [the old town](https://a.example/b_c) for more')).toBe(true)
  })

  it('may be copied from the Markdown of a page', () => {
    for (const [text, markdown] of [
      ['const a = 1', '```ts\nconst a = 1\n```'],
      ['See the guide for more', 'See [the guide](guide.md "all of it") for more'],
      ['See the guide for more', 'See [the guide][guides] for more'],
      ['a logo\nThe text', '![a logo](logo.svg)\n\nThe text'],
      ['Name Price\nDesk 20', '| Name | Price |\n| --- | --- |\n| Desk | 20 |'],
      ['They said that it stays', '> They said\n> that it stays'],
      ['Press Esc & wait', 'Press <kbd>Esc</kbd> &amp; wait'],
    ]) {
      expect(has(text!, markdown!)).toBe(true)
      expect(has(`${text} 7`, markdown!.replace(/\w+(?=\W*$)/, 'other'))).toBe(false)
    }
  })

  it('may have an ellipsis that the page has', () => {
    expect(has('<web-…> 1 page', '<web-…> 1 page')).toBe(true)
  })

  it('has the numbers of its words in the text', () => {
    expect(new QuoteWords('c … e').in(new TextWords('a b c d e f'))).toEqual([2, 5])
  })
})
