import { describe, expect, it } from 'vitest'
import { Surveyor, wordsOf } from '../../../bench/apparatus/survey.ts'
import { defaultCorpus, SyntheticCorpus } from '../../../bench/apparatus/synthetic.ts'
import { drawQuestions } from '../../../bench/questions/draw-questions.ts'
import { isFunctionWord } from '../../../core/text/languages/function-words.ts'

const corpus = new SyntheticCorpus({ ...defaultCorpus, pages: 300, seed: 7 })
const pages = Array.from({ length: 300 }, (_, number) => corpus.page(number))
const surveyor = new Surveyor(7)
for (const page of pages) surveyor.read(page)
const survey = surveyor.survey()
const questions = drawQuestions(survey, { count: 40, seed: 7, source: 'bands' })
const wordsOfPages = pages.map(({ title, text }) => wordsOf(`${title} ${text}`))

describe('drawQuestions', () => {
  it('draws the same queries for the same seed, and different ones for another', () => {
    expect(drawQuestions(survey, { count: 40, seed: 7, source: 'bands' })).toEqual(questions)
    expect(drawQuestions(survey, { count: 40, seed: 8, source: 'bands' }).or10).not.toEqual(questions.or10)
  })

  it('draws OR queries of 2 to 6 different words, and reuses them in every lane that adds a filter', () => {
    for (const { words } of questions.or10) {
      expect(words.length).toBeGreaterThanOrEqual(2)
      expect(words.length).toBeLessThanOrEqual(6)
      expect(new Set(words).size).toBe(words.length)
    }
    for (const lane of [
      'asof',
      'acquired-10',
      'published-50',
      'site',
      'filter-10',
      'sort-date',
      'page-100',
      'answers',
      'pro',
    ] as const)
      expect(questions[lane].map(({ words }) => words)).toEqual(questions.or10.map(({ words }) => words))
  })

  it('draws AND queries from one page, so that there is a result', () => {
    for (const { words } of questions.and)
      expect(wordsOfPages.some(page => words.every(word => page.includes(word)))).toBe(true)
  })

  it('draws phrases that occur in a page', () => {
    for (const { words } of questions.phrase)
      expect(wordsOfPages.some(page => page.some((word, i) => word === words[0] && page[i + 1] === words[1]))).toBe(
        true,
      )
  })

  it('draws windows that contain the given share of the pages', () => {
    for (const [lane, share] of [
      ['acquired-1', 0.01],
      ['acquired-50', 0.5],
    ] as const)
      for (const { acquired } of questions[lane]) {
        const held = pages.filter(({ acquiredAt }) => acquiredAt >= acquired![0] && acquiredAt <= acquired![1]).length
        expect(Math.abs(held / pages.length - share)).toBeLessThan(0.01)
      }
  })

  it('draws long queries from the text of one page, in its order and with its function words', () => {
    const folded = pages.map(({ text }) => ` ${wordsOf(text).join(' ')} `)
    for (const [lane, length] of [
      ['or12', 12],
      ['or40', 40],
    ] as const) {
      expect(questions[lane]).toHaveLength(40)
      for (const { words } of questions[lane]) {
        expect(new Set(words).size).toBe(length)
        expect(folded.some(text => words.every(word => text.includes(` ${word} `)))).toBe(true)
      }
    }
    const asked = (lane: 'or40' | 'or40-asof') => questions[lane].map(({ words }) => words)
    expect(asked('or40-asof')).toEqual(asked('or40'))
    for (const { instant } of questions['or40-asof']) expect(instant).toBeGreaterThan(pages[0]!.acquiredAt)
  })

  it('leaves the lanes empty that the corpus has nothing for', () => {
    const short = new Surveyor(1)
    for (const page of pages) short.read({ ...page, text: 'Green rivers run quickly past seven old stone bridges.' })
    const { or12, or40, rare } = drawQuestions(short.survey(), { count: 3, seed: 1, source: 'sentences' })
    expect({ or12, or40, rare }).toEqual({ or12: [], or40: [], rare: [] })
  })

  it('draws no function words into the other lanes', () => {
    const english = new Surveyor(1)
    const text = 'The quick brown fox jumps over the lazy dog and then it runs to the green river bank again.'
    for (const page of pages) english.read({ ...page, title: 'Of the fox and its river', text })
    const drawn = drawQuestions(english.survey(), { count: 30, seed: 1, source: 'sentences' })
    expect(drawn.or12.some(({ words }) => words.includes('the'))).toBe(true)
    for (const [lane, questions] of Object.entries(drawn))
      for (const { words } of lane.startsWith('or12') ? [] : questions)
        expect(words.filter(word => isFunctionWord(word))).toEqual([])
  })
})
