import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../bench/apparatus/random.ts'
import { changeSentence, changes } from '../../../bench/quotes/change-sentence.ts'
import { readSentences } from '../../../bench/quotes/read-sentences.ts'
import { verifyPairs } from '../../../bench/quotes/verify-pairs.ts'

const texts = readSentences(join(import.meta.dirname, '../../../docs'))

describe('pairs of a quote and a page', () => {
  const seed = Number(process.env.ASOF_TEST_SEED ?? randomInt(1e9))

  it(`have the right verdict whatever is changed (seed ${seed})`, async () => {
    const { right, wrong } = await verifyPairs(texts, 400, seed)
    expect(wrong).toEqual([])
    expect([...right.values()].reduce((sum, number) => sum + number, 0)).toBe(400)
  })

  it('are of every kind of change, and differ in one place', () => {
    const random = seededRandom(7)
    const sentence = texts.flat().find(sentence => / is [a-z]/.test(sentence) && /[a-z] \d+ [a-z]/.test(sentence))!
    for (const [name, change] of Object.entries(changes))
      expect([name, change(sentence, random)]).not.toContain(undefined)
    expect(changeSentence(sentence, random).page).not.toBe('')
  })
})

it('reads sentences without tables, code and marks', () => {
  const sentences = texts.flat()
  expect(sentences.length).toBeGreaterThan(300)
  expect(sentences.filter(sentence => /^\||`|\]\(/.test(sentence)).length).toBe(0)
})
