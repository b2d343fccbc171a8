import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { foldWord } from '../../../../core/text/characters/fold.ts'
import { generateChineseVariants } from '../../../../core/text/characters/generate-chinese-variants.ts'

describe('the table of Chinese variants', () => {
  it('equals the output of the generator', () => {
    const url = new URL('../../../../core/text/characters/chinese-variants.generated.ts', import.meta.url)
    expect(generateChineseVariants()).toBe(readFileSync(url, 'utf8'))
  })

  it.each([
    ['臺灣', '台湾'],
    ['軟體', '软体'],
    ['後面', '后面'],
    ['看著', '看着'],
    ['乾燥', '干燥'],
    ['憂鬱', '忧郁'],
  ])('makes %s and %s equal', (traditional, simplified) => {
    expect(foldWord(traditional)).toBe(foldWord(simplified))
  })

  it('keeps different simplified characters apart', () => {
    expect(new Set(['发', '面', '后', '里', '台', '干', '余', '机'].map(char => foldWord(char))).size).toBe(8)
  })
})
