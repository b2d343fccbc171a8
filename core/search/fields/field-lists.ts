import { LRUCache } from 'lru-cache'
import type { FieldAsOf } from './fields-as-of.ts'

/** Number of lists that are cached. A list has at most 1,000 fields with 20 short examples each. */
const MAX_LISTS = 8

/** Keeps the lists of fields that were requested last. A call for a list that another call is making waits for that list. */
export class FieldLists {
  readonly #lists = new LRUCache<string, Promise<FieldAsOf[]>>({ max: MAX_LISTS })

  /**
   * Returns a copy of a list.
   *
   * @param key - identifies the state of the index and the options.
   * @param make - called if no list is cached under the key.
   */
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
