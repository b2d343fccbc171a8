import type { MemoryStore } from '../store/memory-store.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { type MergeRequest, type MergeResult, mergeSegments } from './merge-segments.ts'
import { mergeError, type SegmentMerging } from './segment-merging.ts'

/** Merges the segments of an index in memory on the calling thread, between its other work. */
export class MergeInPlace implements SegmentMerging {
  readonly #store: MemoryStore
  readonly #signals: SharedArrayBuffer
  /** The merge that runs or is about to. */
  #running: { state: { isStopping: boolean }; done: Promise<MergeResult> } | undefined

  /** @param signals - the buffer of `MergeSignals`, which slow merges down while searches run. */
  constructor(store: MemoryStore, signals: SharedArrayBuffer) {
    this.#store = store
    this.#signals = signals
  }

  async run(request: MergeRequest): Promise<MergeResult> {
    const state = { isStopping: false }
    const done = this.#merge(request, state)
    this.#running = { state, done }
    try {
      return await done
    } catch (cause) {
      throw mergeError(cause)
    } finally {
      this.#running = undefined
    }
  }

  async #merge(request: MergeRequest, state: { isStopping: boolean }): Promise<MergeResult> {
    // One merge may directly follow another, so other work that waits for the thread goes first.
    await yieldToEventLoop()
    return mergeSegments(request, {
      get: key => this.#store.get(key),
      write: chunks => this.#store.commit(chunks.map(({ key, value }) => ({ type: 'put', key, value }))),
      signals: this.#signals,
      isStopping: () => state.isStopping,
    })
  }

  async stop(): Promise<void> {
    if (!this.#running) return
    const { state, done } = this.#running
    state.isStopping = true
    await done.catch(() => {})
  }
}
