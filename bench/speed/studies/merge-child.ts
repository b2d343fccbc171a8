/** Process of the study `merge`: asks an index one question at a time, first idle, then while it merges. */
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type MergePolicy, open } from '@asof/core'
import { percentile, sorted } from '../../apparatus/percentiles.ts'
import { optionsOf, textOf } from '../../engines/asof-question.ts'
import { folderBytes } from '../../engines/build-index.ts'
import type { Latency, MergeFigures, MergeTask } from './merge-study.ts'

const IDLE_MS = 5_000
/** How often the merge and the disk are looked at; not timed. */
const LOOK_EVERY_MS = 250
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

  const askWhile = async (goesOn: () => Promise<boolean>): Promise<Latency> => {
    const times: number[] = []
    let lookedMs = performance.now()
    for (let i = 0; ; i++) {
      const question = questions[i % questions.length]
      const startedMs = performance.now()
      await engine.search(textOf(question), optionsOf(question))
      times.push(performance.now() - startedMs)
      // Between requests a server hands control back, to the merge too.
      await setImmediate()
      if (performance.now() - lookedMs < LOOK_EVERY_MS) continue
      if (failed) throw failed
      if (!(await goesOn())) break
      lookedMs = performance.now()
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

  // Caches and compiler first.
  for (const question of questions) await engine.search(textOf(question), optionsOf(question))
  const { segments } = await engine.stats()
  const bytesBefore = folderBytes(folder)
  const idleMs = performance.now()
  const idle = await askWhile(async () => performance.now() - idleMs < IDLE_MS)
  mergeAll = true
  const mergingMs = performance.now()
  const { added } = await engine.add([{ url: 'https://merge.example/', title: 'merge', text: 'one page more' }])
  if (added !== 1) throw new Error('asof did not take the page that sets off the merge')
  const merging = await askWhile(async () => {
    bytesMost = Math.max(bytesMost, folderBytes(folder))
    return (await engine.stats()).segments > 1
  })
  const mergeSeconds = (performance.now() - mergingMs) / 1_000
  await setTimeout(SETTLE_MS)
  await engine.close()
  return { segments, mergeSeconds, idle, merging, bytesBefore, bytesMost, bytesAfter: folderBytes(folder) }
}

process.once('message', async (task: MergeTask) => {
  process.send!(await run(task), () => process.disconnect())
})
