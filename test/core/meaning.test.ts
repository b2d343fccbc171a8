import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, type OpenOptions, open, type SearchAnswer } from '../../core/index.ts'
import { conceptEmbedder } from './meaning/concept-embedder.ts'

let dir: string
let engine: Engine
let now: number
const warnings: Error[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-meaning-'))
  now = 1_000_000
  warnings.length = 0
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

async function reopen(options: OpenOptions = {}): Promise<void> {
  engine = await open(dir, {
    now: () => now,
    searchThreads: 0,
    onWarning: warning => warnings.push(warning),
    ...options,
  })
}

const filler = (count: number, from = 0): { url: string; text: string }[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://filler.example/${from + i}`,
    text: `item${from + i} topic${(from + i) % 7} shelf${from + i}`,
  }))

const urls = ({ results }: SearchAnswer): string[] => results.map(({ url }) => url)
const CAR = { url: 'https://cars.example/', text: 'automobile' }
const DOG = { url: 'https://dogs.example/', text: 'canine' }

describe('a search with an embeddings model', () => {
  it('finds pages that share no word with the query', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR, DOG])
    const answer = await engine.search('car')
    expect(urls(answer)[0]).toBe(CAR.url)
    expect(answer.receipt.vectors?.model).toBe('concepts-1')
    expect(urls(await engine.search('car', { mode: 'realtime' }))).toEqual([])
    expect(urls(await engine.search('car', { models: false }))).toEqual([])
  })

  it('puts the page that means the query before one that merely says its word', async () => {
    await reopen({ embed: conceptEmbedder() })
    const near = { url: 'https://a.example/', text: 'hound vehicle vehicle vehicle physician' }
    const far = { url: 'https://b.example/', text: 'hound shelf4 shelf5 shelf6 shelf7' }
    await engine.add([...filler(30), near, far])
    const order = urls(await engine.search('hound car doctor'))
    expect(order.indexOf(near.url)).toBe(0)
  })

  it('explains every score to the last bit, and what vectors add as a part called meaning', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(40), CAR, DOG, { url: 'https://both.example/', text: 'car and automobile' }])
    const { results, explain } = await engine.search('car topic3', { explain: true })
    expect(results.length).toBeGreaterThan(3)
    results.forEach(({ score }, r) => {
      expect(explain?.scores[r]?.reduce((sum, part) => sum + part.score, 0)).toBe(score)
    })
    expect(explain?.scores[0]?.some(part => 'signal' in part && part.signal === 'meaning')).toBe(true)
  })
})
