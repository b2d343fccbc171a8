/**
 * Releases the memory of an array that this thread allocated. For the garbage collector such an array is only a small object, so it
 * may let a hundred megabytes accumulate.
 *
 * The array must not come from LevelDB, whose memory belongs to native code. Has no effect on memory that threads share, and on an
 * array that is small enough to be part of the pool of Node's buffers.
 */
export function release({ buffer }: { buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
