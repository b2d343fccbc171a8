import { LRUCache } from 'lru-cache'
import { BlockBuffers } from '../postings/block-buffers.ts'
import { PostingCache } from '../segment/posting-cache.ts'
import { KeptCapture, type KnownUntil, type StoredCapture } from './kept-capture.ts'

/** Reads captures of a whole index. */
export interface CaptureSource {
  /**
   * Reads the histories of captures; of the unknown ones, also the documents and bodies. Captures that are deleted are left out.
   *
   * @param unknown - those of the captures that the caller does not have in memory.
   */
  captures(captureIds: readonly number[], unknown: ReadonlySet<number>): Promise<StoredCapture[]>
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
}

/** Share of the memory budget that is for posting lists. */
const POSTINGS_SHARE = 1 / 8
const MIN_POSTINGS_BYTES = 1024 * 1024

/**
 * Captures of a whole index that are kept in memory, analyzed, for the searches to come. Those that were used least recently are dropped
 * first. All searches that share them run on one thread.
 */
export class KeptCaptures {
  readonly buffers = new BlockBuffers()
  readonly postings: PostingCache
  readonly #kept: LRUCache<number, KeptCapture>
  /** Number of times that all captures were dropped. */
  #clears = 0

  /** @param bytes - the budget for captures and their posting lists. */
  constructor(bytes: number) {
    const postingBytes = Math.max(MIN_POSTINGS_BYTES, Math.ceil(bytes * POSTINGS_SHARE))
    this.postings = new PostingCache(postingBytes)
    this.#kept = new LRUCache({
      maxSize: Math.max(1, bytes - postingBytes),
      sizeCalculation: ({ bytes }) => bytes,
    })
  }

  /** Number of captures that are kept. */
  get size(): number {
    return this.#kept.size
  }

  /**
   * Returns captures as of an instant, from memory or from the whole index. Captures that are deleted are left out.
   *
   * @param until - says as of which instants the histories that are read now are complete.
   * @param instant - epoch ms; at most `until.instant`.
   */
  async read(
    captureIds: readonly number[],
    source: CaptureSource,
    { until, instant }: { until: KnownUntil; instant: number },
  ): Promise<KeptCapture[]> {
    const { rewrites } = until
    const found = new Map<number, KeptCapture>()
    const toRead: number[] = []
    const unknown = new Set<number>()
    for (const id of captureIds) {
      const kept = this.#kept.get(id)
      if (kept) found.set(id, kept)
      else unknown.add(id)
      if (!kept?.isKnown({ rewrites, instant })) toRead.push(id)
    }
    if (toRead.length > 0) await this.#read(toRead, unknown, { source, found, until })
    return captureIds.flatMap(id => found.get(id) ?? [])
  }

  async #read(
    toRead: readonly number[],
    unknown: ReadonlySet<number>,
    { source, found, until }: { source: CaptureSource; found: Map<number, KeptCapture>; until: KnownUntil },
  ): Promise<void> {
    const clears = this.#clears
    const stored = new Map((await source.captures(toRead, unknown)).map(one => [one.captureId, one]))
    for (const id of unknown) {
      const one = stored.get(id)
      const made = one && (await KeptCapture.of(one, this.postings))
      if (made) found.set(id, made)
    }
    const keys = new Map<number, Uint8Array[]>()
    // The keys are in the order of `toRead`, because the loop below takes their values in this order.
    for (const id of toRead) {
      const one = stored.get(id)
      keys.set(id, (one && found.get(id)?.revisionsToRead(one)) ?? [])
    }
    const all = [...keys.values()].flat()
    const values = all.length > 0 ? await source.getMany(all) : []
    let at = 0
    for (const id of toRead) {
      const [capture, one] = [found.get(id), stored.get(id)]
      const revisions = (keys.get(id) ?? []).map((key): [Uint8Array, Uint8Array | undefined] => [key, values[at++]])
      const isThere = capture && one && capture.enter(one, revisions.filter(isPresent), until)
      if (isThere) {
        // If all captures were dropped during the reading, this one may have been purged, and is not kept.
        if (clears === this.#clears) this.#kept.set(id, capture)
      } else {
        found.delete(id)
        this.#kept.delete(id)
      }
    }
  }

  /** Drops all captures, so that nothing of what was purged stays in memory. */
  clear(): void {
    this.#clears++
    this.#kept.clear()
    this.postings.clear()
  }
}

function isPresent(entry: [Uint8Array, Uint8Array | undefined]): entry is [Uint8Array, Uint8Array] {
  return entry[1] !== undefined
}
