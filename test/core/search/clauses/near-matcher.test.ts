import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'

describe('NEAR', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open(':memory:')
    await engine.add([{ url: 'https://example.com/', text: 'alpha one two beta gamma three four delta beta' }])
  })
  afterAll(() => engine.close())

  it.each([
    ['alpha NEAR/2 beta', 0],
    ['alpha NEAR/3 beta', 1],
    ['delta NEAR/3 gamma', 1],
    ['delta NEAR/2 gamma', 0],
    ['"three four" NEAR/1 gamma', 1],
    ['"one two" NEAR/2 gamma', 1],
    ['"one two" NEAR/1 gamma', 0],
    ['gamma NEAR/2 "one two"', 1],
    ['gamma NEAR/1 "one two"', 0],
  ])('counts positions between the nearest words: %s', async (query, matches) => {
    expect((await engine.search(query, { mode: 'webql' })).results).toHaveLength(matches)
  })
})
