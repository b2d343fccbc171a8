import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommitEngine } from '../../../bench/engines/commit-index.ts'
import { lanceDb, lanceDbPackage } from '../../../bench/engines/lancedb.ts'
import { luceneCommits } from '../../../bench/engines/lucene-commits.ts'
import { luceneJars } from '../../../bench/engines/lucene-program.ts'

const page = (number: number, text: string) => ({
  number,
  url: `https://h.example/${number}`,
  title: 'title',
  text,
  acquiredAt: number,
})
const commits = [
  { instant: 10, added: [page(0, 'apple'), page(1, 'apple pear'), page(2, 'plum')], ended: [] },
  { instant: 20, added: [page(3, 'pear\twith a tab')], ended: [1] },
  { instant: 30, added: [], ended: [0, 2] },
]
const questions = ['apple', 'pear'].map(word => ({ form: 'or' as const, words: [word], limit: 10 }))

// Only what `npm run bench -- leaks` has fetched before is tested: a test uses no network.
const families: [name: string, ready: boolean, ways: number, engines: () => CommitEngine[] | undefined][] = [
  ['Lucene', existsSync(luceneJars), 4, luceneCommits],
  ['LanceDB', existsSync(lanceDbPackage), 3, lanceDb],
]

describe.each(families)('the commits of %s, if it is fetched', (_, ready, ways, enginesOf) => {
  it.runIf(ready)('answers as of each commit, before and after later ones', async () => {
    const expected = [
      [[0, 1], [1]],
      [[0], [3]],
      [[], [3]],
    ]
    const engines = enginesOf()
    expect(engines).toHaveLength(ways)
    for (const { open } of engines!) {
      const folder = mkdtempSync(join(tmpdir(), 'asof-commits-'))
      const { commit, ask, close } = await open(folder)
      for (const [i, one] of commits.entries()) {
        expect(await commit(one)).toBeGreaterThan(0)
        expect((await ask(questions, one.instant)).found).toEqual(expected[i])
      }
      for (const [i, { instant }] of commits.entries()) {
        const { found, ms } = await ask(questions, instant)
        expect(found).toEqual(expected[i])
        expect(ms).toHaveLength(questions.length)
      }
      await close()
      rmSync(folder, { recursive: true })
    }
  })
})
