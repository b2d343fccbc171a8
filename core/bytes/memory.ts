// Not a named import of `isMarkedAsUntransferable`: Node 20 lacks it, and could then not print the message that it is too old.
import threads from 'node:worker_threads'

/**
 * Frees the memory of an array at once. The garbage collector sees only a small object, so it may let a hundred
 * megabytes accumulate.
 *
 * The array must not come from LevelDB, because native code owns that memory. Has no effect on memory that threads
 * share, or on small arrays in Node's buffer pool.
 */
export function release({ buffer }: { buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize && !threads.isMarkedAsUntransferable(buffer))
    buffer.transfer(0)
}
