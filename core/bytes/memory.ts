/**
 * Releases the memory of an array that this thread allocated. The garbage collector sees only a small object in such an
 * array, so it may let a hundred megabytes pile up.
 *
 * Never call it with a value from LevelDB, whose memory belongs to native code. Memory that threads share is left alone,
 * and so is an array small enough to lie in the pool that Node's buffers share.
 */
export function release({ buffer }: { buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
