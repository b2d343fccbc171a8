/** Process of the study `merge`: searches an index one query at a time, first while it is idle, then while it merges. */
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type MergePolicy, open } from '@asof/core'
import { percentile, sorted } from '../../apparatus/percentiles.ts'
import { optionsOf, textOf } from '../../engines/asof-question.ts'
import { folderBytes } from '../../engines/build-index.ts'
import type { Latency, MergeFigures, MergeTask } from './merge-study.ts'

const IDLE_MS = 5_000
/** Interval of the checks of the merge and of the disk use, which are not timed. */
const CHECK_EVERY_MS = 250
const SETTLE_MS = 3_000

async function run({ folder, questions }: MergeTask): Promise<MergeFigures> {
  let mergeAll = false
  const mergePolicy: MergePolicy = segments => (mergeAll && segments.length > 1 ? segments.map(({ id }) => id) : [])
  let failed: Error | undefined
  const onWarning = (warning: Error) => {
    failed = warning
  }
  const engine = await open(folder, { mergePolicy, searchThreads: 0, onWarning })
  let bytesMost = 0

  const searchWhile = async (shouldContinue: () => Promise<boolean>): Promise<Latency> => {
    const times: number[] = []
    let checkedMs = performance.now()
    for (let i = 0; ; i++) {
      const question = questions[i % questions.length]!
      const startedMs = performance.now()
      await engine.search(textOf(question), optionsOf(question))
      times.push(performance.now() - startedMs)
      // A server yields to the event loop between requests, and so to the merge.
      await setImmediate()
      if (performance.now() - checkedMs < CHECK_EVERY_MS) continue
      if (failed) throw failed
      if (!(await shouldContinue())) break
      checkedMs = performance.now()
    }
    const ascending = sorted(times)
    return {
      queries: times.length,
      p50Ms: percentile(ascending, 0.5),
      p95Ms: percentile(ascending, 0.95),
      p99Ms: percentile(ascending, 0.99),
      maxMs: percentile(ascending, 1),
    }
  }

  // Fills the caches and compiles before anything is timed.
  for (const question of questions) await engine.search(textOf(question), optionsOf(question))
  const { segments = 0 } = await engine.stats()
  const bytesBefore = folderBytes(folder)
  const idleMs = performance.now()
  const idle = await searchWhile(async () => performance.now() - idleMs < IDLE_MS)
  mergeAll = true
  const mergingMs = performance.now()
  const { added } = await engine.add([{ url: 'https://merge.example/', title: 'merge', text: 'one page more' }])
  if (added !== 1) throw new Error('asof did not add the page that triggers the merge')
  const merging = await searchWhile(async () => {
    bytesMost = Math.max(bytesMost, folderBytes(folder))
    return (await engine.stats()).segments !== 1
  })
  const mergeSeconds = (performance.now() - mergingMs) / 1_000
  await setTimeout(SETTLE_MS)
  await engine.close()
  return { segments, mergeSeconds, idle, merging, bytesBefore, bytesMost, bytesAfter: folderBytes(folder) }
}

process.once('message', async (task: MergeTask) => {
  process.send!(await run(task), () => process.disconnect())
})
