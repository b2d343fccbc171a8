import { existsSync, writeFileSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { fnv1a } from '../../../core/bytes/fnv1a.ts'
import { SnapshotSearch } from '../../../core/scheduling/snapshot-search.ts'

/**
 * The search worker, except that it ends in the middle of most searches that no worker has ended in before. It ends at an access to the
 * memory that the threads share. The text of a search decides at which.
 */
const ACCESSES = 200

const { answer } = SnapshotSearch.prototype
let accessesLeft = Number.POSITIVE_INFINITY
SnapshotSearch.prototype.answer = function (request, ...rest) {
  const hash = fnv1a(Buffer.from(request.text)) >>> 0
  const ended = `${workerData.location}-ended-${hash}`
  accessesLeft = existsSync(ended) ? Number.POSITIVE_INFINITY : hash % ACCESSES
  writeFileSync(ended, '')
  return answer.call(this, request, ...rest)
}

for (const name of ['load', 'store', 'compareExchange'] as const) {
  const access = Atomics[name].bind(Atomics) as (...args: unknown[]) => number
  Object.defineProperty(Atomics, name, {
    value: (...args: unknown[]) => {
      if (accessesLeft-- === 0) process.exit(1)
      return access(...args)
    },
  })
}

await import('../../../core/scheduling/search-worker.ts')
