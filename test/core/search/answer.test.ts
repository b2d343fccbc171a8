import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { SnapshotSearch } from '../../../core/scheduling/snapshot-search.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import { resolveSearch } from '../../../core/search/resolve-search.ts'
import type { SearchOptions, SearchWarning } from '../../../core/search/search-answer.ts'
import { PostingCache } from '../../../core/segment/posting-cache.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { Snapshots } from '../../../core/store/snapshots/snapshots.ts'

const NOW = Date.UTC(2025, 0, 10)
const note: SearchWarning = { code: 'operator', text: 'a harmless note' }

let dir: string
let store: FolderStore
let snapshots: Snapshots

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-answer-'))
  const engine = await open(dir, { now: () => NOW, searchThreads: 0 })
  await engine.add(
    ['harbor lights', 'harbor wall', 'quiet river', 'lamp post'].map((title, i) => ({
      url: `https://${i < 2 ? 'harbor' : 'other'}.example/${i}`,
      title,
      text: `The ${title} of town ${i}.`,
    })),
  )
  await engine.setRelevance({ rules: [{ when: 'harbor', pin: [{ url: 'https://other.example/3', position: 1 }] }] })
  await engine.close()
  store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1 << 20 })
  snapshots = await Snapshots.open(store, new PostingCache(1 << 20), { now: () => NOW })
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

/** Returns the answer to a search, parsed with some warnings more. */
function answerOf(query: string, options: SearchOptions, more: readonly SearchWarning[]) {
  const parsed = parseSearch(query, options)
  return snapshots.read(
    at => resolveSearch({ ...parsed, warnings: [...more, ...parsed.warnings] }, at),
    (request, snapshot) => new SnapshotSearch({}).answer(request, snapshot),
  )
}

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
