import { describe, expect, it } from 'vitest'
import { compareWords } from '../../../bench/visible/word-comparison.ts'

describe('compareWords', () => {
  it('gives the words that are not shown by reason, and those that are missing by rule', () => {
    const { invisible, missing, wanted } = compareWords(
      { shown: 'The HARBOR was re\u00adbuilt twice, said Ada', hidden: { 'alternative text': 'a lake' } },
      {
        markdown: 'The **harbor** was rebuilt ![lake](a.png) secretly',
        dropped: [{ rule: 'author notes', words: 2, text: 'said Ada' }],
        body: 'The harbor was rebuilt twice, said Ada. Unseen.',
      },
    )
    expect(Object.fromEntries(invisible)).toEqual({ 'alternative text': ['lake'], 'not on the page': ['secretly'] })
    expect(Object.fromEntries(missing)).toEqual({ 'no rule': ['twice'], 'author notes': ['said', 'ada'] })
    expect(wanted).toBe(7)
  })
})
