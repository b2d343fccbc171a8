import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAsofError } from '../../../../core/index.ts'
import { analyzeWebql } from '../../../../core/search/analysis/analyze-webql.ts'
import { MAX_CLAUSES, MAX_QUERY_DEPTH, parseWebql, type SyntaxNode } from '../../../../core/search/webql/parser.ts'
import { trees, withoutPositions, written } from './webql-text.ts'

const vocabulary = {
  words: ['river', 'stone', 'and', 'or', 'near', 'été', '東京都', 'foo-bar', '12:30', 'a_b', "don't"],
  urlWords: ['docs', 'index.html'],
  authorWords: ['Jane', 'doe'],
  sites: ['example.com', 'com'],
  languages: ['en', 'pt-BR'],
  kinds: ['article', 'docs'],
  times: ['*', '2024-05-01', '2024-05-01T10:00:00Z', '7d'],
  fieldValues: { price: ['-1', '2.5', '1e3'], 'a.b-c_1': ['x', 'été'], released: ['2024-05-01', '7d'] },
}

const word = (text: string): SyntaxNode => ({ kind: 'words', text, quoted: false, at: 0 })
const tree = (query: string): SyntaxNode => withoutPositions(parseWebql(query))

function positionOf(query: string): unknown {
  try {
    parseWebql(query)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_QUERY')) return error.details?.position
    throw error
  }
  return 'no error'
}

describe('the full query language', () => {
  it('parses the text of a tree into the same tree', () => {
    fc.assert(
      fc.property(trees(vocabulary), node => {
        fc.pre(written(node).length < 2000)
        expect(tree(written(node))).toEqual(withoutPositions(node))
      }),
      { numRuns: 1000 },
    )
  })

  it('binds NOT tighter than AND, AND tighter than OR, and joins adjacent operands by AND', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(word)
    expect(tree('a OR b c')).toEqual({ kind: 'or', parts: [a, { kind: 'and', parts: [b, c] }] })
    expect(tree('a b OR c')).toEqual(tree('(a AND b) OR c'))
    expect(tree('NOT a b')).toEqual({ kind: 'and', parts: [{ kind: 'not', part: a }, b] })
    expect(tree('a NOT b')).toEqual(tree('a AND NOT b'))
    expect(tree('a -b')).toEqual(tree('a NOT b'))
    expect(tree('NOT a NEAR/3 b')).toEqual(tree('NOT (a NEAR/3 b)'))
  })

  it('recognizes operators only in capitals', () => {
    expect(tree('a and b')).toEqual({ kind: 'and', parts: [word('a'), word('and'), word('b')] })
    expect(tree('ANDROID NOTE')).toEqual({ kind: 'and', parts: [word('ANDROID'), word('NOTE')] })
  })

  it('applies a field to a word, a phrase, a pattern, or a whole parenthesis', () => {
    expect(tree('title:(a OR "b c")')).toEqual(tree('title:a OR title:"b c"'))
    expect(tree('Title:a*')).toEqual({ kind: 'prefix', field: 'title', text: 'a', at: 0 })
    expect(tree('title:(a NEAR/2 b)')).toEqual(tree('title:a NEAR/2 title:b'))
    expect(tree('published:2024-05-01')).toEqual(tree('published:[2024-05-01 TO 2024-05-01]'))
  })

  it('reads conditions on fields of pages, whose names are case-sensitive', () => {
    const of = (query: string) => {
      const node = tree(query)
      return node.kind === 'field' ? node.condition : node
    }
    const bound = (name: string, value: string) => ({ path: 'price', name, value })
    const price = { field: 'price', path: 'price' }
    expect(of('price:<=20')).toEqual({ ...price, kind: 'range', bounds: [bound('lte', '20')] })
    expect(of('price:-20..-10')).toEqual({
      ...price,
      kind: 'range',
      bounds: [bound('gte', '-20'), bound('lte', '-10')],
    })
    expect(of('price:[-20 TO -10]')).toEqual(of('price:-20..-10'))
    expect(of('price:10..')).toEqual(of('price:[10 TO *]'))
    expect(of('price:..10')).toEqual(of('price:<=10'))
    expect(of('price:>"a b"')).toEqual({ ...price, kind: 'range', bounds: [bound('gt', 'a b')] })
    expect(of('price:"<20"')).toEqual({ ...price, kind: 'values', values: [{ path: 'price', value: '<20' }] })
    expect(of('price:"a*"')).toEqual({ ...price, kind: 'values', values: [{ path: 'price', value: 'a*' }] })
    expect(of('price:a*')).toEqual({ ...price, kind: 'prefix', prefix: { path: 'price', value: 'a' } })
    expect(of('price:*')).toEqual({ ...price, kind: 'exists' })
    expect(of('price:[* TO *]')).toEqual(of('price:*'))
    expect(of('Price:1')).toMatchObject({ field: 'Price' })
    expect(tree('price:(<5 OR >10) -price:7')).toEqual(tree('(price:<5 OR price:>10) NOT price:7'))
  })

  it('takes an operator for a field of the same name, unless a dot precedes the name', () => {
    expect(tree('author:"Jane Doe"')).toMatchObject({ kind: 'words', field: 'author' })
    expect(tree('.author:"Jane Doe"')).toMatchObject({ kind: 'field', condition: { field: 'author' } })
    expect(tree('.price:<20')).toEqual({ ...tree('price:<20') })
    expect(tree('.Site:(a OR b)')).toMatchObject({ kind: 'or', parts: [{ condition: { field: 'Site' } }, {}] })
  })

  it('reads comparisons of publish and acquisition times', () => {
    const range = { kind: 'range', field: 'published', at: 0 }
    expect(tree('published:>2024-05-01')).toEqual({ ...range, from: '2024-05-01', to: '*', isOpen: true })
    expect(tree('published:<=7d')).toEqual({ ...range, from: '*', to: '7d' })
    expect(tree('published:2024-05-01..2024-06-01')).toEqual(tree('published:[2024-05-01 TO 2024-06-01]'))
    const windowOf = (query: string) => analyzeWebql(parseWebql(query), { requestedAt: 0 }).condition
    const [start, end] = [Date.UTC(2024, 4, 1), Date.UTC(2024, 4, 2) - 1]
    expect(windowOf('acquired:>2024-05-01')).toMatchObject({ window: { from: end + 1, to: Infinity } })
    expect(windowOf('acquired:<2024-05-01')).toMatchObject({ window: { from: -Infinity, to: start - 1 } })
    expect(windowOf('acquired:<=2024-05-01')).toMatchObject({ window: { from: -Infinity, to: end } })
  })

  it.each([
    ['a AND', 5],
    ['AND a', 0],
    ['a OR OR b', 5],
    ['(a b', 0],
    ['a (b (c)', 2],
    ['a b)', 3],
    ['()', 1],
    ['a "b c', 2],
    ['a NEAR b', 2],
    ['a NEAR/0 b', 2],
    ['a NEAR/101 b', 2],
    ['a NEAR/5', 8],
    ['a NEAR/5 b*', 9],
    ['(a OR b) NEAR/5 c', 0],
    ['a NEAR/5 b NEAR/5 c', 11],
    ['title:a NEAR/5 b', 8],
    ['a*b', 1],
    ['*a', 0],
    ['word~3', 4],
    ['"a b"~5', 5],
    ['größe:5', 0],
    ['not:a', 0],
    ['x https://example.com/', 2],
    ['price:', 6],
    ['price: 5', 6],
    ['price:<', 6],
    ['price:..', 6],
    ['price:a*b', 6],
    ['price:1 NEAR/5 price:2', 0],
    ['price:(title:a)', 7],
    [`tag:${'a'.repeat(257)}`, 4],
    ['title:-a', 6],
    ['title: a', 6],
    ['title:', 6],
    ['title:(url:a)', 7],
    ['title:[a TO b]', 6],
    ['published:[2024-05-01', 10],
    ['published:[2024-05-01, 2024-05-02]', 10],
    ['published:(a)', 10],
    ['NOT', 3],
  ])('reports the position of the syntax error in %j: %i', (query, position) => {
    expect(positionOf(query)).toBe(position)
  })

  it.each([
    ['a AND &&', 6],
    ['*', 0],
    ['river a*', 6],
    ['foo-bar*', 0],
    ['lang:english-of-old', 5],
    ['type:book', 5],
    ['site:https://', 5],
    ['site:exam*', 5],
    ['lang:en NEAR/3 lang:de', 5],
    ['published:[2024-13-01 TO *]', 10],
    ['acquired:yesterday', 9],
    [Array.from({ length: 9 }, (_, i) => `word${i}*`).join(' '), 56],
  ])('reports the position of the invalid value in %j: %i', (query, position) => {
    expect(() => analyzeWebql(parseWebql(query), { requestedAt: 0 })).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_QUERY', details: { field: 'query', position } }),
    )
  })

  it('limits the nesting depth and the number of clauses of a query', () => {
    expect(positionOf(`${'('.repeat(MAX_QUERY_DEPTH + 1)}a`)).toBe(MAX_QUERY_DEPTH)
    expect(positionOf('NOT '.repeat(500))).toBe(4 * MAX_QUERY_DEPTH)
    expect(positionOf('a '.repeat(MAX_CLAUSES))).toBe('no error')
    expect(positionOf('a '.repeat(MAX_CLAUSES + 1))).toBe(2 * MAX_CLAUSES)
  })

  it('returns a tree for any text, or an error with a position within it', () => {
    const pieces = [
      'AND',
      'OR',
      'NOT',
      'NEAR/3',
      '(',
      ')',
      '"',
      'a',
      'été',
      '*',
      '~',
      '~2',
      'title:',
      'site:',
      'type:docs',
      'published:',
      'price:',
      '.title:',
      '<',
      '>=',
      '..',
      '[',
      'TO',
      ']',
      '2024-05-01',
      '-',
      ':',
      ' ',
      '東京',
      '\u{1f600}',
      '\ud800',
    ]
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map(list => list.join('')),
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map(list => list.join(' ')),
    )
    fc.assert(
      fc.property(texts, text => {
        fc.pre(text.trim() !== '')
        try {
          const { patterns, terms } = analyzeWebql(parseWebql(text), { requestedAt: 0 })
          expect(patterns.length).toBeLessThanOrEqual(8)
          expect(new Set(terms.map(({ term }) => term)).size).toBe(terms.length)
        } catch (error) {
          if (!isAsofError(error, 'ASOF_INVALID_QUERY')) throw error
          const position = error.details?.position
          expect(position).toBeGreaterThanOrEqual(0)
          expect(position).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: 5000 },
    )
  })
})
