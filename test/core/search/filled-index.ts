import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, open } from '../../../core/index.ts'
import { PostingCache } from '../../../core/segment/posting-cache.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { Snapshots } from '../../../core/store/snapshots/snapshots.ts'

const CACHE_BYTES = 1 << 20

/** An index that is read below the engine. */
export interface FilledIndex {
  snapshots: Snapshots
  /** Closes the index and deletes its folder. */
  close(): Promise<void>
}

/**
 * Fills an index in a temporary folder, closes its engine, and opens its store.
 *
 * @param now - the instant that all clocks show, epoch ms.
 */
export async function filledIndex(now: number, fill: (engine: Engine) => Promise<unknown>): Promise<FilledIndex> {
  const dir = await mkdtemp(join(tmpdir(), 'asof-filled-'))
  const engine = await open(dir, { now: () => now, searchThreads: 0 })
  await fill(engine)
  await engine.close()
  const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: CACHE_BYTES })
  return {
    snapshots: await Snapshots.open(store, new PostingCache(CACHE_BYTES), { now: () => now }),
    close: async () => {
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
}
