import { move, transferableSymbol, valueSymbol } from 'piscina'
import { analyze } from './analyze.ts'
import { buffersOf } from './analyzed-group.ts'
import { type BatchPlan, buildBatch } from './build-batch.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** What the threads of the pool are asked to do. */
export type PoolTask = { analyze: PreparedCapture[] } | { build: BatchPlan }

/** The task of the pool's threads. What it makes is handed over, not copied. */
export default function poolTask(task: PoolTask): unknown {
  if ('build' in task) {
    const built = buildBatch(task.build)
    return handedOver(
      built,
      built.chunks.map(({ bytes }) => bytes.buffer),
    )
  }
  const result = analyze(task.analyze)
  const { postings, bodies, vectors } = result.group
  return handedOver(result, [...buffersOf(postings), bodies.buffer, vectors.buffer])
}

function handedOver(value: object, buffers: ArrayBuffer[]): unknown {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value })
}
