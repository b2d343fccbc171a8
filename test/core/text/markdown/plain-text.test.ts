import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../../../core/text/markdown/plain-text.ts'
import { queryTerms } from '../../../../core/text/terms/query-terms.ts'
import { processorMs } from '../../../processor-time.ts'

const wordsOf = (text: string) => queryTerms(text).map(({ word }) => word)

describe('plainText', () => {
  it.each<[string, string, string]>([
    ['an empty text stays empty', '', ''],
    ['a text of blank lines becomes empty', ' \n\t\n\r\n', ''],
    ['plain words stay', 'Just words.', 'Just words.'],
    ['one line feed separates paragraphs', 'one\n\n\n\ntwo\r\n\r\nthree', 'one\ntwo\nthree'],
    ['the lines of one paragraph are joined by a space', 'one\ntwo\r\nthree', 'one two three'],
    ['a run of blanks becomes one space', 'a  \t b\u00a0\u00a0c\u3000d', 'a b c d'],
    ['a hard break becomes a space', 'one\\\ntwo  \nthree', 'one two three'],
    ['heading marks are removed', '# One\n## Two ##\n###### Six #\n#Seven', 'One\nTwo\nSix\n#Seven'],
    ['underlines of headings are removed', 'One\n===\n\nTwo\n---\ntext', 'One\nTwo\ntext'],
    ['an empty heading is removed', '#\n##\ntext', 'text'],
    ['thematic breaks are removed', 'a\n\n---\n\n* * *\n___\nb', 'a\nb'],
    ['quote marks are removed', '> one\n> two\n>> three\nlazy', 'one two\nthree lazy'],
    ['list marks are removed', '- a\n* b\n+ c\n1. d\n2) e', 'a\nb\nc\nd\ne'],
    ['boxes of tasks are kept', '- [x] a\n* [ ] b\n1. [X] c\n> - [ ] d', '[x] a\n[ ] b\n[X] c\n[ ] d'],
    ['nested marks are removed', '> - # Title\n>   1. item', 'Title\nitem'],
    ['only 1. interrupts a paragraph', 'It was in\n1986. Then\n1. came', 'It was in 1986. Then\ncame'],
    ['a dash inside a line stays', 'a - b\nc -d', 'a - b c -d'],
    ['emphasis marks are removed', '*a* **b** ***c*** _d_ __e__ ~~f~~', 'a b c d e f'],
    ['emphasis inside a word joins it', 'un*frigging*believable', 'unfriggingbelievable'],
    ['emphasis may span lines and contain other emphasis', '**a *b\nc* d**', 'a b c d'],
    ['unmatched marks stay', 'a * b, 5*3, *x, y*, 2*3*4, ~z~', 'a * b, 5*3, x, y, 2*3*4, ~z~'],
    ['emphasis ends with its block', '*a\n\nb*', '*a\nb*'],
    ['underscores inside words stay', 'snake_case_name __init__', 'snake_case_name init'],
    ['emphasis next to full-width punctuation is recognized', '**中文。**后面', '中文。后面'],
    ['code marks are removed and code stays unchanged', '`a*b*` ``c`d`` `\\*` ` e `', 'a*b* c`d \\* e'],
    ['unmatched code marks stay', 'a `b *c*', 'a `b c'],
    [
      'fences are removed and code stays, line by line',
      '```js\nconst x = 1 // *no*\n\n# y\n```\ntext',
      'const x = 1 // *no*\n# y\ntext',
    ],
    ['a fence is closed by a fence of the same length', '````\n```\nx\n````\n*y*', '```\nx\ny'],
    ['a tilde fence is not closed by backticks', '~~~\n```\n~~~\n*y*', '```\ny'],
    ['an unclosed fence extends to the end', '```\n*a*', '*a*'],
    ['a fence inside a quote is recognized', '> ```\n> *a*\n> ```\n> *b*', '*a*\nb'],
    ['link targets are removed, link texts stay', '[a](http://x.y/z "t") [b](<u v>) [c](d(e)f) [](g)', 'a b c'],
    ['image targets are removed, alternative texts stay', '![a b](c.png) [![d](e)](f)', 'a b d'],
    ['adjacent links do not join words', '[Home](/)[About](/a)text![x](y)z', 'Home About text x z'],
    ['a link inside text without spaces adds no space', '私は[東京](u)に', '私は東京に'],
    ['markup inside a link text is removed', '[**a** `b`](c)', 'a b'],
    ['a link text may span lines', '[a\nb](c)', 'a b'],
    ['brackets that are not a link stay', '[a] (b) [c]d] [e](f g) [', '[a] (b) [c]d] [e](f g) ['],
    ['links by label are resolved', '[a][L] [l] [b][] [c][m]\n\n[L]: http://x\n[b]: <y> "t"', 'a l b [c][m]'],
    ['footnotes are text', 'a[^1]\n\n[^1]: note', 'a[^1]\n[^1]: note'],
    ['autolinks stay', '<https://a.b/c_d_e> <me@x.y>', 'https://a.b/c_d_e me@x.y'],
    ['bare links stay', 'https://a.b/c_d_e?f=*', 'https://a.b/c_d_e?f=*'],
    ['tables lose pipes and rule rows', '| a | b |\n|---|:-:|\n| c \\| d | *e* |\n\nx | y', 'a b\nc | d e\nx | y'],
    ['tables without outer pipes are recognized', 'a | b\n--|--\nc | d\n\ne', 'a b\nc d\ne'],
    ['inline tags join the text around them', 'H<sub>2</sub>O <b class="x">y</b>', 'H2O y'],
    ['other tags separate words', 'a<br>b<img src="c">d<a href="e">f</a>g', 'a\nb d f g'],
    ['block tags end a block', '<div>a</div><p>b</p>', 'a\nb'],
    ['tags may span lines and contain quoted brackets', '<img alt="a > b"\n  src="c"> d', 'd'],
    ['angle brackets that are not an element stay', 'Map<String> a < b <3 x<y', 'Map<String> a < b <3 x<y'],
    ['an unclosed tag stays', 'a <b class="c', 'a <b class="c'],
    ['tags in an unclosed tag are removed', 'a <a title="x <b>c</b> d\n\ne', 'a <a title="x c d\ne'],
    ['links in an unclosed link are read', '[a](x "[b](c) d', '[a](x "b d'],
    ['comments are removed', 'a <!-- b\n\n# c --> d', 'a d'],
    ['an unclosed comment stays', 'a <!-- b', 'a <!-- b'],
    [
      'scripts and styles are removed with their content',
      'a <script>var b = "<i>"\n</script> c <STYLE>d</Style>e',
      'a c e',
    ],
    ['entities are decoded', '&amp; &lt;b&gt; &quot;&apos; a&nbsp;b &#65;&#x42; &mdash;', '& <b> "\' a b AB —'],
    ['a decoded entity is not markup', '&#42;a&#42; &lt;br&gt;', '*a* <br>'],
    ['other ampersands stay', 'a & b &unknown; &#; &#xZZ; AT&T', 'a & b &unknown; &#; &#xZZ; AT&T'],
    ['entities of invalid code points become U+FFFD', '&#0;&#xD800;&#x110000;', '\ufffd\ufffd\ufffd'],
    ['escapes are resolved', '\\*a\\* \\[b\\] 1986\\. \\\\ \\d', '*a* [b] 1986. \\ \\d'],
    ['control characters become blanks', 'a\0b\u0001c', 'a b c'],
    ['half a surrogate pair stays', 'a\ud83d *b*', 'a\ud83d b'],
  ])('%s', (_rule, markdown, text) => {
    expect(plainText(markdown)).toBe(text)
  })

  it('returns a text without marks unchanged', () => {
    const plain = fc.array(fc.stringMatching(/^[a-zA-Zé東ß]{1,8}$/), { minLength: 1 })
    fc.assert(
      fc.property(plain, words => {
        expect(plainText(words.join(' '))).toBe(words.join(' '))
      }),
    )
  })

  const marks = fc.constantFrom(
    '*',
    '**',
    '_',
    '~~',
    '`',
    '``',
    '```',
    '[',
    ']',
    '](',
    ')',
    '(',
    '!',
    '![',
    '<',
    '>',
    '<b>',
    '</b>',
    '<p>',
    '<a href="',
    '"',
    "'",
    '<!--',
    '-->',
    '#',
    '##',
    '-',
    '+',
    '1.',
    '>',
    '|',
    '|---|',
    '---',
    '===',
    '\\',
    '&',
    '&amp;',
    '\n',
    '\n\n',
    ' ',
    '\t',
    '\r\n',
    '    ',
    '[a]: b',
    '<script>',
    '</script>',
    '<x:y>',
  )

  it('accepts any text, is deterministic, and never returns more than its input', () => {
    const piece = fc.oneof(marks, fc.stringMatching(/^[a-c1]{1,3}$/), fc.string({ unit: 'binary', maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        const markdown = pieces.join('')
        const text = plainText(markdown)
        expect(text.length).toBeLessThanOrEqual(markdown.length)
        expect(text).toBe(plainText(markdown))
        expect(text).not.toMatch(/^\s|\s$|[ \t\n]{2}/)
      }),
      { numRuns: 1000 },
    )
  })

  it('never joins two words separated by a blank, and keeps their order', () => {
    const word = fc.integer({ min: 10, max: 99 }).map(n => `w${n}`)
    const separator = fc.constantFrom(' ', '\n', '\n\n')
    const before = marks.map(mark => mark.replace(/\w$/, '$& '))
    const after = marks.map(mark => mark.replace(/^\w/, ' $&'))
    fc.assert(
      fc.property(fc.array(fc.tuple(before, word, after, separator), { maxLength: 20 }), parts => {
        const source = parts.map(([, w]) => w)
        const found = wordsOf(plainText(parts.map(part => part.join('')).join(''))).filter(w => w.startsWith('w'))
        let at = 0
        for (const w of found) {
          at = source.indexOf(w, at) + 1
          expect(at, w).toBeGreaterThan(0)
        }
      }),
      { numRuns: 1500 },
    )
  })

  it.each(
    [
      '[',
      '](',
      '[a](b',
      '![a](',
      '*a ',
      '**',
      '_a',
      '*_a',
      '~~a',
      '` `` ',
      '<a ',
      '<a "',
      '<!--',
      '<script>',
      '</',
      '<a:',
      '&#',
      '&',
      ']:',
      '\n[a]: b ',
      '> ',
      '- ',
      '1. ',
      '# ',
      '|-',
      '|',
      '(',
      '\\',
      '```\n',
      '[a][b',
      '<',
    ].map(unit => [unit]),
  )('takes time in proportion to the length of repeated %j', unit => {
    const markdown = unit.repeat(400_000 / unit.length)
    // It takes 20 to 60 ms; a quadratic algorithm takes minutes.
    expect(processorMs(() => plainText(markdown))).toBeLessThan(20_000)
  })

  it('looks for link definitions in linear time', () => {
    const markdown = `${'[a\n\n'.repeat(250_000)}[x]: y`
    expect(processorMs(() => expect(plainText(markdown)).toHaveLength(749_999))).toBeLessThan(2_000)
  })

  it('reads backtick runs of many different lengths in linear time', () => {
    const markdown = Array.from({ length: 1200 }, (_, at) => '`'.repeat(at + 1)).join(' ')
    expect(processorMs(() => expect(plainText(markdown)).toBe(markdown))).toBeLessThan(20_000)
  })
})
