import { invalidOption } from '@asof/extract/errors'

/** Largest number of threads of a model. */
const MAX_THREADS = 64

/** @throws ASOF_INVALID_OPTION - a model cannot have so many threads. */
export function expectThreads(threads: number): void {
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS))
    throw invalidOption('threads', `must be an integer from 1 to ${MAX_THREADS}`)
}
