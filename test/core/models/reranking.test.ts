import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type Reranker, type SearchAnswer } from '../../../core/index.ts'

let engine: Engine
const asked: { query: string; texts: readonly string[] }[] = []
let failure: Error | undefined

/** A reranker that scores shorter texts higher. */
const shortest: Reranker = {
  model: 'shortest-1',
  rerank: async (query, texts) => {
    asked.push({ query, texts })
    if (failure) throw failure
    return texts.map(text => 1 / text.length)
  },
}

beforeEach(async () => {
  asked.length = 0
  failure = undefined
  engine = await open(':memory:', { rerank: shortest })
})
afterEach(async () => {
  await engine.close()
})

const urls = ({ results }: SearchAnswer): string[] => results.map(({ url }) => url)

/** Pages whose texts get shorter from one to the next. */
const pages = (count: number, host = (i: number) => `h${i}.example`) =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://${host(i)}/${i}`,
    title: `page ${i}`,
    text: `river ${'stone '.repeat(2 * (count - i))}`,
  }))

describe('a reranking model', () => {
  it('reorders the first results, and is named in the receipt', async () => {
    await engine.add(pages(6))
    const answer = await engine.search('river "stone" -sea', { maxResults: 3 })
    expect(urls(answer)).toEqual([5, 4, 3].map(i => `https://h${i}.example/${i}`))
    expect(answer.receipt.reranker).toBe('shortest-1')
    expect(asked).toHaveLength(1)
    expect(asked[0]?.query).toBe('river stone')
    expect(asked[0]?.texts).toHaveLength(6)
    expect(asked[0]?.texts.every(text => /^page \d\nriver stone/.test(text))).toBe(true)
  })

  it('receives at most 25 results, and fewer requested results are the first of the same order', async () => {
    await engine.add(pages(40))
    const all = await engine.search('river', { maxResults: 40 })
    expect(all.results).toHaveLength(40)
    expect(asked[0]?.texts).toHaveLength(25)
    expect(urls(await engine.search('river', { maxResults: 7 }))).toEqual(urls(all).slice(0, 7))
    const scores = all.results.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  it('does not let one host crowd out the others, unless the search is limited to sites', async () => {
    await engine.add(pages(8, i => (i < 3 ? `h${i}.example` : 'one.example')))
    const first = urls(await engine.search('river')).slice(0, 4)
    expect(first.filter(url => url.includes('one.example'))).toHaveLength(3)
    const onSite = urls(await engine.search('river', { site: 'one.example' }))
    expect(onSite).toEqual([7, 6, 5, 4, 3].map(i => `https://one.example/${i}`))
  })

  it('explains every score to the last bit', async () => {
    await engine.add(pages(12))
    const { results, explain } = await engine.search('river', { explain: true, maxResults: 5 })
    expect(explain?.scores).toHaveLength(5)
    results.forEach(({ score }, r) => {
      expect(explain?.scores[r]?.reduce((sum, part) => sum + part.score, 0)).toBe(score)
      expect(explain?.scores[r]?.some(part => 'signal' in part && part.signal === 'reranker')).toBe(true)
    })
  })

  it('that fails leaves the order unchanged, with a warning', async () => {
    await engine.add(pages(6))
    const without = await engine.search('river', { models: false })
    failure = new Error('out of order')
    const answer = await engine.search('river')
    expect(answer.results).toEqual(without.results)
    expect(answer.warning).toBe('answered without reranking: the reranking model failed: out of order')
    expect(Object.keys(answer.receipt)).toEqual(Object.keys(without.receipt))
  })

  it('is not called in realtime mode', async () => {
    await engine.add(pages(6))
    await engine.search('river', { mode: 'realtime' })
    expect(asked).toEqual([])
  })
})
