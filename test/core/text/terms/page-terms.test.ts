import { describe, expect, it } from 'vitest'
import { dictionaryTerm } from '../../../../core/text/terms/dictionary-words.ts'
import { mayAddTerms, PageTerms } from '../../../../core/text/terms/page-terms.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

function extended(text: string, language: string): [term: string, position: number][] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  const terms = new PageTerms()
  terms.extend(text, tokens, 0, tokens.count, language)
  return Array.from({ length: terms.count }, (_, at) => [terms.term(at), terms.positions[at]!])
}

describe('the terms of a page', () => {
  it('are the tokens, the stems that differ from them, and German words without umlauts', () => {
    expect(extended('Alte Häuser kauft', 'de')).toEqual([
      ['alt', 0],
      ['hauser', 1],
      ['haus', 1],
      ['haeuser', 1],
      ['kauft', 2],
    ])
  })

  it('include each Chinese character in addition to the bigrams, but no single Kana', () => {
    expect(extended('喝茶了 茶 食べる', 'zh')).toEqual([
      ['喝茶', 0],
      ['喝', 0],
      ['茶了', 1],
      ['茶', 1],
      ['了', 2],
      ['茶', 3],
      ['食べ', 4],
      ['食', 4],
      ['べる', 5],
    ])
  })

  it('include words from a dictionary at the position of their first character', () => {
    const words = extended('ตลาดน้ำ', 'th').filter(([term]) => term.startsWith(':'))
    expect(words[0]).toEqual([dictionaryTerm('ตลาด'), 0])
  })

  it.each(['en', '', 'vi', 'uk'])('are only the tokens in %j, which has no stems here', language => {
    const tokens = new TokenBuffer()
    tokenize('Old houses, vieilles maisons, старые дома', tokens)
    expect(mayAddTerms(tokens, language)).toBe(false)
  })

  it('have ascending positions for each term', () => {
    const last = new Map<string, number>()
    for (const [term, position] of extended('茶茶茶 茶 Häuser Haus ตลาดน้ำตลาด '.repeat(20), 'de')) {
      expect(position).toBeGreaterThan(last.get(term) ?? -1)
      last.set(term, position)
    }
  })
})
