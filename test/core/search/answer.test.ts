import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SnapshotSearch } from '../../../core/scheduling/snapshot-search.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import { resolveSearch } from '../../../core/search/resolve-search.ts'
import type { SearchOptions, SearchWarning } from '../../../core/search/search-answer.ts'
import { type FilledIndex, filledIndex } from './filled-index.ts'

const NOW = Date.UTC(2025, 0, 10)
const note: SearchWarning = { code: 'operator', text: 'a harmless note' }

let index: FilledIndex

beforeAll(async () => {
  index = await filledIndex(NOW, async engine => {
    await engine.add(
      ['harbor lights', 'harbor wall', 'quiet river', 'lamp post'].map((title, i) => ({
        url: `https://${i < 2 ? 'harbor' : 'other'}.example/${i}`,
        title,
        text: `The ${title} of town ${i}.`,
      })),
    )
    await engine.setRelevance({ rules: [{ when: 'harbor', pin: [{ url: 'https://other.example/3', position: 1 }] }] })
  })
})
afterAll(() => index.close())

/** Returns the answer to a search. @param more - warnings that come before those of its parser. */
function answerOf(query: string, options: SearchOptions, more: readonly SearchWarning[]) {
  const parsed = parseSearch(query, options)
  return index.snapshots.read(
    at => resolveSearch({ ...parsed, warnings: [...more, ...parsed.warnings] }, at),
    (request, snapshot) => new SnapshotSearch({}).answer(request, snapshot),
  )
}

describe('the option titleHighlights', () => {
  it.each([0, 600])(
    'leaves out the highlights of titles and nothing else, with snippets of %i units',
    async snippetMaxLength => {
      const marked = await answerOf('quiet river', { snippetMaxLength }, [])
      const unmarked = await answerOf('quiet river', { snippetMaxLength, titleHighlights: false }, [])
      expect(marked.results[0]!.titleHighlights).toEqual([
        [0, 5],
        [6, 11],
      ])
      expect(unmarked.results.map(({ titleHighlights }) => titleHighlights)).toEqual(unmarked.results.map(() => []))
      expect(unmarked.results).toEqual(marked.results.map(result => ({ ...result, titleHighlights: [] })))
    },
  )
})

describe('a warning about how the query was read', () => {
  it.each<[string, SearchOptions]>([
    ['harbro', {}],
    ['harbor', {}],
    ['"harbor town"', {}],
    ['harbor.example', {}],
    ['harb', { typing: true }],
    ['site:harbor.example', {}],
    ['-harbor', {}],
    ['https://other.example/2', {}],
    ['', {}],
    ['harb*', { mode: 'webql' }],
  ])('changes nothing but the warnings of the answer to %j', async (query, options) => {
    const { warning: _, warnings: before = [], ...plain } = await answerOf(query, options, [])
    const { warning, warnings, ...noted } = await answerOf(query, options, [note])
    expect(noted).toEqual(plain)
    expect(warnings).toEqual([note, ...before])
    expect(warning).toBe([note, ...before].map(({ text }) => text).join('; '))
  })

  it('leaves misspelled words to be corrected, and pinned pages pinned', async () => {
    const corrected = await answerOf('harbro', {}, [note])
    expect(corrected.warnings?.map(({ code }) => code)).toEqual(['operator', 'spelling'])
    expect(corrected.results.map(({ url }) => url)).toContain('https://harbor.example/0')
    const pinned = await answerOf('harbor', {}, [note])
    expect(pinned.results[0]?.url).toBe('https://other.example/3')
  })
})
