import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

export let engine: Engine

/** Gives each test of the file an empty index. */
export function useEmptyIndex(): void {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-import-'))
    engine = await open(dir)
  })
  afterEach(async () => {
    await engine.close()
    await rm(dir, { recursive: true })
  })
}

/** Yields bytes in pieces of a size. */
export async function* chunks(bytes: Uint8Array | string, size = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(bytes)
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}
