import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { WatchedTask } from '../threads/limited-workers.ts'
import { TaskWatch } from '../threads/task-watch.ts'
import { analyze } from './analyze.ts'
import { buffersOf } from './analyzed-group.ts'
import { buildCommit, type CommitPlan } from './build-commit.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** A task for a thread of the pool. */
export type PoolTask =
  | { analyze: PreparedCapture[]; analyzer: number; captureTimeoutMs: number }
  | { build: CommitPlan }

/** Runs one task. The buffers of its result are transferred, not copied. */
export default function poolTask({ task, watch: memory }: WatchedTask<PoolTask>): unknown {
  const watch = new TaskWatch(memory)
  if ('build' in task) {
    watch.begin(0)
    const built = buildCommit(task.build)
    return transferred(
      built,
      [...built.chunks, ...built.packs].map(({ bytes }) => bytes.buffer),
    )
  }
  const result = analyze(task.analyze, task.analyzer, {
    extracting: index => watch.begin(index, task.captureTimeoutMs),
    analyzing: index => watch.begin(index, task.captureTimeoutMs),
  })
  watch.end()
  const { postings, bodies, vectors } = result.group
  return transferred(result, [...buffersOf(postings), bodies.buffer, vectors.buffer])
}

function transferred(value: object, buffers: ArrayBuffer[]): unknown {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value })
}
