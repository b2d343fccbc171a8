import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../../core/index.ts'

let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([
    {
      url: 'https://a.example/harbor',
      title: 'The old harbor, and the old town',
      text: `An old wall and an old tower. ${'Nothing is said here about it. '.repeat(60)}Boats lie in the old harbor. The harbor is deep.`,
    },
    {
      url: 'https://a.example/bells',
      title: 'Bells',
      text: 'The ship bell rings; a ship and its bells. Ship bells rust.',
    },
  ])
})
afterAll(() => engine.close())

/** The marked words of the first result: of its title, then of its snippet. */
async function marked(query: string, options: SearchOptions = {}): Promise<[title: string[], snippet: string[]]> {
  const [result] = (await engine.search(query, { mode: 'realtime', ...options })).results
  const { title, titleHighlights, snippet } = result!
  return [
    titleHighlights.map(range => title.slice(...range)),
    snippet.highlights.map(range => snippet.text.slice(...range)),
  ]
}

describe('the highlights of a quoted phrase', () => {
  it.each(['realtime', 'pro', 'webql'] as const)(
    'are where it stands whole, in title and snippet, in mode %s',
    async mode => {
      expect(await marked('"old harbor"', { mode })).toEqual([
        ['old', 'harbor'],
        ['old', 'harbor'],
      ])
    },
  )

  it('do not hide a word that the query has outside the phrase too', async () => {
    const [title, snippet] = await marked('harbor "old harbor"')
    expect(title).toEqual(['old', 'harbor'])
    expect(snippet.filter(word => word === 'harbor').length).toBeGreaterThan(1)
  })

  it('do not hide words of a text that has the phrase nowhere', async () => {
    const [title, snippet] = await marked('bells "ship bells rust"')
    expect(title).toEqual(['Bells'])
    expect(snippet.slice(-3)).toEqual(['Ship', 'bells', 'rust'])
    expect(snippet.filter(word => /^ship$/i.test(word))).toEqual(['Ship'])
  })

  it('are every word if the words are not quoted', async () => {
    expect(await marked('old harbor')).toEqual([['old', 'harbor', 'old'], expect.arrayContaining(['old', 'harbor'])])
  })

  it('are none for excluded phrases', async () => {
    expect((await marked('harbor -"old boat"'))[0]).toEqual(['harbor'])
  })
})
