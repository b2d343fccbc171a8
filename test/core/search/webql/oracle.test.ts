import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Engine, open, type PageKind } from '../../../../core/index.ts'
import { parseWebql, type SyntaxNode } from '../../../../core/search/webql/parser.ts'
import { histories } from '../../../histories.ts'
import { randomMerges } from '../../history-script.ts'
import { holds, type NaivePage, scoreOf } from './naive-evaluator.ts'
import { trees, written } from './webql-text.ts'

const START_AT = Date.UTC(2024, 0, 1)
const MAX_PAGES = 60
const iso = (moment: number): string => new Date(START_AT + moment).toISOString()

const words = [
  'river',
  'rivers',
  'riven',
  'driver',
  'stone',
  'stones',
  'running',
  'run',
  'ruin',
  'import',
  'imports',
  'important',
  'the',
  'of',
  '東京都',
  '京都',
  'été',
  'crossing',
]
const authors = ['Jane Doe', 'John Doe', 'doe jane', '']
/** No language with a stemmer except English, because the naive evaluation does not detect the language of a query. */
const languages = ['en', 'en-GB', 'sw-KE', '']
const kinds: PageKind[] = ['article', 'docs', 'other']
const hosts = ['docs.example.com', 'example.org', 'a.b.example.org']
const paths = ['guide/river', 'guide/stone/index.html', 'river/guide', '%C3%A9t%C3%A9']

const texts = (maxLength: number) => fc.array(fc.constantFrom(...words), { maxLength }).map(list => list.join(' '))
const pages = fc
  .array(
    fc.record({
      host: fc.constantFrom(...hosts),
      path: fc.constantFrom(...paths),
      copy: fc.integer({ min: 0, max: 9 }),
      title: texts(3),
      text: texts(14),
      author: fc.constantFrom(...authors),
      lang: fc.constantFrom(...languages),
      kind: fc.constantFrom(...kinds),
      published: fc.option(fc.nat(MAX_PAGES), { nil: undefined }),
      price: fc.constantFrom(undefined, -1, 0, 2.5, 10),
      tags: fc.uniqueArray(fc.constantFrom('a', 'ab', 'b', 'c d'), { maxLength: 3 }),
      order: fc.nat(),
    }),
    { minLength: 3, maxLength: MAX_PAGES },
  )
  .map(list =>
    list.map((page, i): NaivePage & { order: number } => {
      const fields: Record<string, readonly string[] | readonly number[]> = {}
      if (page.price !== undefined) fields.price = [page.price]
      if (page.tags.length > 0) fields.tags = page.tags
      return {
        url: `https://${page.host}/${page.path}?c=${page.copy}`,
        // Every page has a title, and no two captures have the same content.
        title: `t${i} ${page.title}`.trim(),
        text: page.text,
        author: page.author,
        lang: page.lang,
        kind: page.kind,
        publishedAt: page.published !== undefined && page.published <= i ? START_AT + page.published : Number.NaN,
        acquiredAt: START_AT + i,
        fields,
        order: page.order,
      }
    }),
  )

const queries = trees({
  words: [...words, 'absent', 'new-river'],
  urlWords: ['guide', 'river', 'rivers', 'docs', 'example', 'été', 'index.html'],
  authorWords: ['jane', 'doe', 'john'],
  sites: ['example.org', 'example.com', 'docs.example.com', 'absent.example'],
  languages: ['en', 'en-GB', 'sw', 'fr'],
  kinds,
  times: ['*', iso(0), iso(10), iso(25), iso(MAX_PAGES)],
  fieldValues: { price: ['-1', '0', '2.5', '3', '10'], tags: ['a', 'ab', 'b', 'c'] },
}).filter(node => {
  const query = written(node)
  const takesOneWord = !/(?:new-r\w*|html)[*~]/.test(query)
  return takesOneWord && query.length < 2000 && (query.match(/[*~]/g) ?? []).length <= 8 && !/^site:\S+$/.test(query)
})

async function filled(
  list: readonly (NaivePage & { order: number })[],
  merges: number | undefined,
): Promise<{ engine: Engine; close(): Promise<void> }> {
  const mergePolicy = merges === undefined ? () => [] : randomMerges(merges)
  const engine = await open(':memory:', { now: () => START_AT + 1000, mergePolicy })
  const shuffled = [...list].sort((a, b) => a.order - b.order)
  const size = Math.max(1, Math.ceil(list.length / 4))
  for (let from = 0; from < shuffled.length; from += size) {
    const { failures } = await engine.add(
      shuffled.slice(from, from + size).map(({ order: _, publishedAt, author, lang, ...page }) => ({
        ...page,
        author: author === '' ? undefined : author,
        lang: lang === '' ? undefined : lang,
        publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt,
      })),
    )
    if (failures.length > 0) throw new Error(failures[0]!.message)
  }
  return {
    engine,
    close: async () => {
      await engine.close()
    },
  }
}

/** The captures that stood at an instant. */
function stoodAt(list: readonly NaivePage[], instant: number): NaivePage[] {
  const seen = list.filter(({ acquiredAt }) => acquiredAt <= instant)
  return seen.filter(page => !seen.some(other => other.url === page.url && other.acquiredAt > page.acquiredAt))
}

async function expectAsNaive(
  engine: Engine,
  list: readonly NaivePage[],
  query: SyntaxNode,
  instant: number,
): Promise<void> {
  const standing = stoodAt(list, instant)
  const text = written(query)
  const { results, mode } = await engine.search(text, {
    mode: 'webql',
    queryTime: instant,
    maxResults: 1000,
    snippetMaxLength: 0,
  })
  expect(mode).toBe('webql')
  const expected = standing.filter(page => holds(page, query))
  expect(results.map(({ url }) => url).sort(), text).toEqual(expected.map(({ url }) => url).sort())
  const byUrl = new Map(expected.map(page => [page.url, page]))
  results.forEach(({ url, score, acquiredAt }, i) => {
    const page = byUrl.get(url) as NaivePage
    expect(acquiredAt).toBe(page.acquiredAt)
    expect(score, `${text} ${url}`).toBeCloseTo(scoreOf(page, query, standing), 4)
    const next = results[i + 1]
    if (next) expect(score > next.score || (score === next.score && acquiredAt > next.acquiredAt)).toBe(true)
  })
  const top = await engine.search(text, { mode: 'webql', queryTime: instant, maxResults: 3, snippetMaxLength: 0 })
  expect(top.results, text).toEqual(results.slice(0, 3))
}

describe('an answer in the full language', () => {
  it('has exactly the captures and scores of a naive evaluation of the tree, for any layout of segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        pages,
        fc.array(queries, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(MAX_PAGES), { minLength: 1, maxLength: 3 }),
        fc.integer(),
        async (list, asked, moments, merges) => {
          const [apart, merged] = [await filled(list, undefined), await filled(list, merges)]
          try {
            for (const query of asked)
              for (const moment of [...moments, MAX_PAGES]) {
                await expectAsNaive(apart.engine, list, query, START_AT + moment)
                await expectAsNaive(merged.engine, list, query, START_AT + moment)
              }
          } finally {
            await apart.close()
            await merged.close()
          }
        },
      ),
      { numRuns: histories },
    )
  })

  it('combines search options with the query by AND, and counts the undated captures left out', async () => {
    await fc.assert(
      fc.asyncProperty(pages, queries, fc.nat(MAX_PAGES), fc.nat(MAX_PAGES), async (list, query, a, b) => {
        const { engine, close } = await filled(list, undefined)
        try {
          const [from, to] = [Math.min(a, b), Math.max(a, b)]
          const window = {
            publishedAfter: iso(from),
            publishedBefore: iso(to),
            acquiredAfter: iso(from),
            site: 'example.org',
          }
          const options = { mode: 'webql', maxResults: 1000, snippetMaxLength: 0 } as const
          const { results, receipt } = await engine.search(written(query), { ...options, ...window })
          const joined = parseWebql(`site:example.org acquired:[${iso(from)} TO *] (${written(query)})`)
          const matching = stoodAt(list, Infinity).filter(page => holds(page, joined))
          const dated = matching.filter(
            ({ publishedAt }) => publishedAt >= START_AT + from && publishedAt <= START_AT + to,
          )
          expect(results.map(({ url }) => url).sort()).toEqual(dated.map(({ url }) => url).sort())
          expect(receipt.undated).toBe(matching.filter(({ publishedAt }) => Number.isNaN(publishedAt)).length)
        } finally {
          await close()
        }
      }),
      { numRuns: Math.ceil(histories / 2) },
    )
  })
})
