import { LRUCache } from 'lru-cache'
import type { FieldAsOf } from '../engine.ts'

/** Number of lists that are kept. One has at most 1,000 fields with 20 short examples each. */
const MAX_LISTS = 8

/** The lists of fields that were asked for last. Calls for a list that is being made wait for it. */
export class FieldLists {
  readonly #lists = new LRUCache<string, Promise<FieldAsOf[]>>({ max: MAX_LISTS })

  /** @param key - names the state of the index and the options. @param make - called if no list has the key. */
  async get(key: string, make: () => Promise<FieldAsOf[]>): Promise<FieldAsOf[]> {
    let list = this.#lists.get(key)
    if (!list) {
      list = make()
      this.#lists.set(key, list)
      list.catch(() => this.#lists.delete(key))
    }
    return structuredClone(await list)
  }
}
