import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type MergePolicy, open } from '../../core/index.ts'
import { seed } from '../histories.ts'
import { expectFreshAnswers } from './fresh-answers.ts'
import { questions, START_AT } from './history-script.ts'
import { generator } from './random-segments.ts'

/** A number of pages from which on search threads take part, and words are in more captures than a block has. */
const LARGE = 1_000

it('search threads answer as of T, scores and all, as an index built afresh, before and after merges', async () => {
  const random = generator(seed)
  const words = ['time', 'travel', 'search', 'engine', 'river', 'stone', 'light', 'running', 'node.js', 'the']
  const page = (number: number, round: number) => {
    const text = Array.from({ length: 12 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
    return {
      url: `https://${number % 2 === 0 ? 'a.example.com' : 'example.org'}/${number}`,
      text: `${text} ${round}`,
    }
  }
  const anyPage = () => page(Math.floor(random() * LARGE), 0)
  const mergePolicy: MergePolicy = segments => (segments.length > 4 ? segments.map(({ id }) => id) : [])
  const dir = await mkdtemp(join(tmpdir(), 'asof-fresh-'))
  let clock = START_AT
  const opened = () => open(dir, { now: () => clock, mergePolicy, searchThreads: 1 })
  let engine = await opened()
  try {
    for (let round = 0; round < 6; round++) {
      clock += 10
      const pages = Array.from({ length: LARGE }, (_, number) => number).filter(() => round === 0 || random() < 0.2)
      expect((await engine.add(pages.map(number => page(number, round)))).failures).toEqual([])
      await engine.remove(anyPage().url, { at: START_AT + Math.floor(random() * (clock - START_AT)) })
      // Closing rewrites segments with purged captures.
      if (round > 3) await engine.purge(anyPage().url)
      if (round === 3) {
        await engine.close()
        engine = await opened()
      }
      // Threads answer from the first search on that may take long.
      await engine.search('time', { sort: 'acquiredAt' })
      const instant = round % 2 === 0 ? clock : START_AT + Math.floor(random() * (clock + 5 - START_AT))
      await expectFreshAnswers(engine, instant, { asked: questions.filter((_, i) => i % 6 === round) })
    }
  } finally {
    await engine.close()
    await rm(dir, { recursive: true })
  }
})
