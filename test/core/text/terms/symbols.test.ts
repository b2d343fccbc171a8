import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryTerms } from '../../../../core/text/terms/query-terms.ts'
import { partsOfSymbol, wordOfSymbol } from '../../../../core/text/terms/symbols.ts'
import { TermScanner } from '../../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

function termsOf(text: string): string[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  return Array.from({ length: tokens.count }, (_, at) => `${tokens.term(at)}@${tokens.positions[at]}`)
}

const asked = (text: string): string[] => queryTerms(text).map(({ term }) => term)

describe('a word with symbols', () => {
  it.each([
    ['C++ and C#', ['c@0', 'c++@0', 'and@1', 'c@2', 'c#@2']],
    ['F#.', ['f@0', 'f#@0']],
    ['.NET core', ['net@0', '.net@0', 'core@1']],
    ['ASP.NET MVC', ['asp@0', 'net@1', 'asp.net@1', '.net@1', 'mvc@2']],
    ['node.js, Vue.JS.', ['node@0', 'js@1', 'node.js@1', 'vue@2', 'js@3', 'vue.js@3']],
    ['R&D at AT&T', ['r@0', 'r&d@0', 'd@1', 'at@2', 'at@3', 'at&t@3', 't@4']],
    ['C#7 C++11 i++;', ['c@0', 'c#@0', '7@1', 'c@2', 'c++@2', '11@3', 'i@4', 'i++@4']],
    ['C#语言 使用C++写', ['c@0', 'c#@0', '语言@1', '使用@3', 'c@5', 'c++@5', '写@6']],
  ])('is a term in addition to its plain words in %s', (text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  it.each([
    'foo#bar',
    'page#section',
    'end.Next sentence',
    'fishing end.Net',
    'slideshare.net',
    'wait ...net',
    'example.com',
    '3.5',
    '#hashtag',
    'https://a.com/x?a=b&c=d',
    'R&amp;D',
    'node.json',
    'a+b',
    'c + +',
    'Smith&Sons',
    'x&y=1',
    '++i',
    `${'a'.repeat(40)}.js`,
  ])('is not recognized in %s', text => {
    expect(termsOf(text).filter(term => /[+#&.]/.test(term))).toEqual([])
  })

  it('replaces its plain words in a query', () => {
    expect(asked('C++ templates')).toEqual(['c++', 'templat'])
    expect(asked('learn C#')).toEqual(['learn', 'c#'])
    expect(asked('ASP.NET node.js AT&T .NET F#')).toEqual(['asp.net', 'node.js', 'at&t', '.net', 'f#'])
    expect(asked('c net node js')).toEqual(['c', 'net', 'node', 'js'])
  })

  it('is found in a text by its own term, with all of its symbols, and by its plain words', () => {
    const text = 'We use C++, C#, Node.js, ASP.NET and plain C'
    const found = (term: string) => new TermScanner([term]).scan(text).map(({ start, end }) => text.slice(start, end))
    expect(found('c++')).toEqual(['C++'])
    expect(found('c#')).toEqual(['C#'])
    expect(found('node.js')).toEqual(['Node.js'])
    expect(found('asp.net')).toEqual(['ASP.NET'])
    expect(found('.net')).toEqual(['.NET'])
    expect(found('node')).toEqual(['Node'])
    expect(found('c')).toEqual(['C', 'C', 'C'])
    expect(new TermScanner(['c++', 'node.js']).scan(text, 'de').map(({ term }) => term)).toEqual([0, 1])
  })

  it('has the same terms at the same positions in texts, queries and scans, whatever surrounds it', () => {
    const word = fc.constantFrom(
      ...'C++ c C# F# node.js js .NET net ASP.NET R&D AT&T foo#bar x++ file.js. end.Next 東京 é don’t & . + # 3.5'.split(
        ' ',
      ),
    )
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', ', ', '', '-', '. ', '(')), { minLength: 1, maxLength: 12 })
      .map(pieces => pieces.flat().join(''))
    fc.assert(
      fc.property(text, text => {
        const tokens = new TokenBuffer()
        tokenize(text, tokens)
        const at = new Map<string, number[]>()
        for (let i = 0; i < tokens.count; i++)
          at.set(tokens.term(i), [...(at.get(tokens.term(i)) ?? []), tokens.positions[i]!])
        for (const [term, positions] of at)
          expect([term, new TermScanner([term]).scan(text).map(({ position }) => position)]).toEqual([term, positions])
        // A page whose text equals a query has each term of the query at the same position.
        for (const { term, position } of queryTerms(text)) expect(at.get(term), term).toContain(position)
      }),
      { numRuns: 500 },
    )
  })

  it('is found through one of its words, and has plain words only if they mean the same', () => {
    expect(['c++', 'c#', 'node.js', '.net', 'asp.net', 'r&d', 'net++'].map(wordOfSymbol)).toEqual([
      'c',
      'c',
      'js',
      'net',
      'net',
      'r',
      'net',
    ])
    expect(['node', '@example.net', ':url=c++', '東京', ''].map(wordOfSymbol)).toEqual(['', '', '', '', ''])
    expect(['node.js', 'r&d', 'c++', 'c#', '.net', 'node'].map(partsOfSymbol)).toEqual([
      ['node', 'js'],
      ['r', 'd'],
      [],
      [],
      [],
      [],
    ])
  })
})
