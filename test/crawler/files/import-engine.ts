import { afterEach, beforeEach } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

export let engine: Engine

/** Gives each test of the file an empty index. */
export function useEmptyIndex(): void {
  beforeEach(async () => {
    engine = await open(':memory:')
  })
  afterEach(async () => {
    await engine.close()
  })
}

/** Yields bytes in pieces of a size. */
export async function* chunks(bytes: Uint8Array | string, size = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(bytes)
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}
