import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

const pages = {
  international: { title: 'An international memo', text: 'signed in spring', author: 'Max Organ' },
  internal: { title: 'An internal memo', text: 'for the staff', author: 'Eva Organization' },
  import: { text: 'the import duty', fields: { note: { $text: 'customs universe' } } },
  imports: { text: 'duty on imports', fields: { note: { $text: 'customs university' } } },
  important: { text: 'an important duty' },
} as const
let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  const { failures } = await engine.add(
    Object.entries(pages).map(([name, page]) => ({ url: `https://pages.example/${name}`, ...page })),
  )
  expect(failures).toEqual([])
})
afterAll(async () => {
  await engine.close()
})

async function found(query: string, mode: 'webql' | 'realtime'): Promise<string[]> {
  const { results } = await engine.search(query, { mode, maxResults: 20 })
  return results.map(({ url }) => url.slice('https://pages.example/'.length)).sort()
}

describe.each(['webql', 'realtime'] as const)('an excluded word, in %s', mode => {
  it.each([
    ['memo NOT international', ['internal'], ['international']],
    ['memo -internal', ['international'], ['internal']],
    ['international NOT internal', ['international'], ['internal']],
    ['duty NOT import', ['important'], ['import', 'imports']],
    ['duty NOT important', ['import', 'imports'], ['important']],
    ['duty NOT "import"', ['important', 'imports'], ['import']],
    ['imports NOT import', ['imports'], ['import']],
    ['memo NOT (internal OR staff)', ['international'], ['internal']],
    ['imports -(import OR tariff)', ['imports'], ['import']],
    ['duty -("import duty" OR imports)', ['important'], ['import', 'imports']],
    ['memo NOT intitle:international', ['internal'], ['international']],
    ['memo NOT inurl:internal', ['international'], ['internal']],
  ])('excludes its inflections, and no other word of its stem: %s', async (query, kept, excluded) => {
    const names = await found(query, mode)
    expect(names).toEqual(expect.arrayContaining(kept))
    for (const name of excluded) expect(names).not.toContain(name)
  })
})

describe('NOT in the full language', () => {
  it.each([
    ['duty NOT (import NEAR/3 duty)', ['important']],
    ['memo NOT (international NEAR/2 memo)', ['internal']],
    ['memo NOT author:organ', ['internal']],
    ['memo NOT url:international', ['internal']],
    ['note:customs NOT note:universe', ['imports']],
    ['note:customs NOT note:university', ['import']],
    ['NOT NOT international', ['internal', 'international']],
    ['duty NOT (important NOT absent)', ['import', 'imports']],
  ])('excludes words as written in every field: %s', async (query, expected) => {
    expect(await found(query, 'webql')).toEqual(expected)
  })
})
