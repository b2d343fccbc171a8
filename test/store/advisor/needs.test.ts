import { describe, expect, it } from 'vitest'
import { recognizeNeeds } from '../../../store/advisor/needs.ts'

const rows: readonly [goal: string, services: string[], beyond?: string[]][] = [
  ['search the web', ['search']],
  ['news about trade and email security', ['search']],
  ['Read my pages', ['fetch']],
  ['https://site.example/search', ['fetch']],
  ['find articles and summarize them', ['search', 'fetch']],
  ['make me happy', []],
  ['Email the news to my team', [], ['sending messages']],
  ['generate 5 images of web pages', [], ['making images, audio or video']],
  ['translate this page', [], ['translating']],
  ['search for flights and book a flight', ['search'], ['buying, booking or trading']],
]

describe('the needs of a goal', () => {
  for (const [goal, services, beyond = []] of rows) {
    it(`are recognized in: ${goal}`, () => expect(recognizeNeeds(goal)).toMatchObject({ services, beyond }))
  }

  it('are also recognized in the requirements', () => {
    expect(recognizeNeeds('chips', 'search in mode realtime_content, free of charge')).toEqual({
      services: ['search'],
      beyond: [],
      keyedMode: true,
      free: true,
    })
  })

  it('include no price of zero if the goal only has the word free', () => {
    expect(recognizeNeeds('search for free trade agreements').free).toBe(true)
    expect(recognizeNeeds('search free trade agreements').free).toBe(false)
  })
})
