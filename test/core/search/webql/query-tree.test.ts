import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type QueryPart, type QueryPhrase, type QueryTree } from '../../../../core/index.ts'
import { parseWebql, type SyntaxNode, type WordsNode } from '../../../../core/search/webql/parser.ts'
import { readQueryTree } from '../../../../core/search/webql/query-tree.ts'
import { trees, withoutPositions } from './webql-text.ts'

const kinds = ['article', 'product', 'docs']
const queries = trees({
  words: ['river', 'guide', 'new-river', 'c++'],
  urlWords: ['guide', 'index.html'],
  authorWords: ['jane', 'doe'],
  sites: ['example.org', 'docs.example.com'],
  languages: ['en', 'en-GB'],
  kinds,
  times: ['*', '2024-01-01', '7d'],
})

/** The tree that a caller gives for a syntax tree. */
function partOf(node: SyntaxNode): QueryPart {
  switch (node.kind) {
    case 'and':
      return { all: node.parts.map(partOf) }
    case 'or':
      return { any: node.parts.map(partOf) }
    case 'not':
      return { not: partOf(node.part) }
    case 'near': {
      const { field, left, right } = { ...node, field: node.left.field }
      return inField(field, { near: [wordsOf(left), wordsOf(right)], within: node.distance })
    }
    case 'words':
      return inField(node.field, wordsOf(node))
    case 'prefix':
      return inField(node.field, { prefix: node.text })
    case 'fuzzy':
      return inField(node.field, { fuzzy: node.text, edits: node.distance })
    case 'range':
      return { [node.field]: { from: node.from, to: node.to } }
    case 'field':
      throw new Error('a tree has no conditions on fields')
  }
}

function wordsOf({ text, quoted }: WordsNode): string | QueryPhrase {
  return quoted ? { phrase: text } : text
}

function inField(field: string | undefined, part: QueryPart): QueryPart {
  return field === undefined ? part : { [field]: part }
}

function hasOpenRange(node: SyntaxNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.some(hasOpenRange)
  if (node.kind === 'not') return hasOpenRange(node.part)
  return node.kind === 'field' || (node.kind === 'range' && node.isOpen === true)
}

describe('a query as a tree', () => {
  it.each<[QueryTree, string]>([
    [{ all: ['red', { phrase: 'arctic fox' }], not: 'toy' }, 'red "arctic fox" NOT toy'],
    [{ any: ['red', 'blue fox'] }, 'red OR (blue fox)'],
    [{ all: ['fox'], any: ['red', { prefix: 'arct' }] }, 'fox (red OR arct*)'],
    [{ near: ['red', { phrase: 'arctic fox' }], within: 5 }, 'red NEAR/5 "arctic fox"'],
    [{ fuzzy: 'color' }, 'color~'],
    [{ fuzzy: 'color', edits: 1 }, 'color~1'],
    [{ title: { any: ['red', { phrase: 'a b' }] }, site: 'example.org' }, 'title:(red OR "a b") site:example.org'],
    [{ all: ['fox'], published: { from: '2024-01-01' } }, 'fox published:[2024-01-01 TO *]'],
    [{ all: ['fox'], acquired: { from: '7d', to: '1d' } }, 'fox acquired:[7d TO 1d]'],
    [
      { all: ['fox'], published: { to: new Date(Date.UTC(2024, 0, 1)) } },
      'fox published:[* TO 2024-01-01T00:00:00.000Z]',
    ],
    [{ not: { any: ['red', { not: 'blue' }] } }, 'NOT (red OR NOT blue)'],
  ])('is read as its text: %j as %s', (tree, text) => {
    const read = readQueryTree(tree)
    expect(read.text).toBe(text)
    expect(withoutPositions(read.tree)).toEqual(withoutPositions(parseWebql(text)))
  })

  it('is the syntax tree of its text, whatever it is', () => {
    fc.assert(
      fc.property(queries, node => {
        fc.pre(!hasOpenRange(node))
        const part = partOf(node)
        const { text, tree } = readQueryTree(typeof part === 'string' ? { all: [part] } : part)
        fc.pre(text.length <= 2_000)
        expect(tree).toEqual(parseWebql(text))
        expect(withoutPositions(tree)).toEqual(withoutPositions(node))
      }),
    )
  })

  it('gives no sign in a string a meaning', () => {
    expect(readQueryTree({ all: ['OR', 'a:b*'] }).tree).toMatchObject({
      kind: 'and',
      parts: [
        { kind: 'words', text: 'OR', quoted: false },
        { kind: 'words', text: 'a:b*', quoted: false },
      ],
    })
  })
})

describe('an engine', () => {
  let engine: Engine
  const now = Date.UTC(2025, 0, 1)
  beforeAll(async () => {
    engine = await open(':memory:', { now: () => now })
    await engine.add([
      { url: 'https://a.org/1', title: 'Red fox', text: 'The red arctic fox runs.', publishedAt: '2024-02-01' },
      { url: 'https://a.org/2', title: 'Toy', text: 'A red toy: an arctic fox.', publishedAt: '2024-03-01' },
      { url: 'https://b.org/3', title: 'Blue whale', text: 'The color of the whale is blue.' },
    ])
  })
  afterAll(() => engine.close())

  it.each<[QueryTree, string]>([
    [{ all: ['red', { phrase: 'arctic fox' }], not: 'toy' }, 'red "arctic fox" NOT toy'],
    [{ any: [{ fuzzy: 'color' }, { prefix: 'arc' }] }, 'color~ OR arc*'],
    [{ near: ['red', 'fox'], within: 3 }, 'red NEAR/3 fox'],
    [{ title: 'fox', published: { from: '2024-01-01' } }, 'title:fox published:[2024-01-01 TO *]'],
    [{ site: 'b.org' }, 'site:b.org'],
  ])('answers a tree as its text: %j', async (tree, text) => {
    const options = { facets: ['site'], sort: 'published:desc' }
    const answer = await engine.search(tree)
    expect(answer.results.length).toBeGreaterThan(0)
    expect(answer).toEqual(await engine.search(text, { mode: 'webql' }))
    expect(await engine.search(tree, options)).toEqual(await engine.search(text, { ...options, mode: 'webql' }))
  })

  it.each<[unknown, string, RegExp]>([
    [{}, 'query', /is empty/],
    [{ all: [] }, 'query.all', /a list of at least one part/],
    [{ all: 'fox' }, 'query.all', /a list of at least one part, not "fox"/],
    [{ all: ['fox', 5] }, 'query.all[1]', /a string or an object/],
    [{ all: ['fox', { any: [' '] }] }, 'query.all[1].any[0]', /has no word/],
    [{ all: ['fox', '!?'] }, 'query.all[1]', /no word to search for/],
    [{ not: { phrase: '…' } }, 'query.not.phrase', /no word to search for/],
    [{ phrase: 5 }, 'query.phrase', /must be a string/],
    [{ phrase: 'a', not: 'b' }, 'query.not', /beside phrase/],
    [{ prefix: 'a' }, 'query.prefix', /at least 2 letters/],
    [{ fuzzy: 'fox', edits: 3 }, 'query.edits', /1 or 2/],
    [{ near: ['a'], within: 5 }, 'query.near', /two words/],
    [{ near: ['a', 'b c'], within: 5 }, 'query.near[1]', /one word or a phrase/],
    [{ near: ['a', 'b'] }, 'query.within', /1 to 100/],
    [{ title: { author: 'ann' } }, 'query.title.author', /not allowed inside title/],
    [{ type: 'poem' }, 'query.type', /must be one of article/],
    [{ all: ['a'], published: { from: 'soon' } }, 'query.published', /soon/],
    [{ all: ['a'], published: { from: {} } }, 'query.published.from', /Date/],
    [{ all: ['a'], published: { after: '7d' } }, 'query.published', /from, to/],
    [{ alll: ['a'] }, 'query.alll', /did you mean all\?/],
    [{ any: Array.from({ length: 300 }, () => 'a') }, 'query.any', /more than 256/],
  ])('refuses %j and names the part', async (tree, field, reason) => {
    const refusal = { code: 'ASOF_INVALID_QUERY', details: { field }, message: expect.stringMatching(reason) }
    await expect(engine.search(tree as QueryTree)).rejects.toMatchObject(refusal)
    await expect(engine.check(tree as QueryTree)).rejects.toMatchObject(refusal)
  })

  it('refuses a tree that is too deep, refers to itself or is too long', async () => {
    const loop: Record<string, unknown> = {}
    loop.not = loop
    const refusal = { code: 'ASOF_INVALID_QUERY' }
    await expect(engine.search(loop as QueryTree)).rejects.toMatchObject(refusal)
    await expect(engine.search({ phrase: 'fox '.repeat(1_000) })).rejects.toMatchObject(refusal)
    let deep: QueryTree = { all: ['fox'] }
    for (let i = 0; i < 5_000; i++) deep = { not: deep }
    await expect(engine.search(deep)).rejects.toMatchObject(refusal)
  })

  it('takes a tree only in the mode webql', async () => {
    await expect(engine.search({ all: ['fox'] }, { mode: 'pro' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field: 'mode' },
    })
  })
})
