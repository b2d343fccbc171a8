import type { SearchedIndex } from '../models/model-search.ts'
import { resolveSearch } from '../search/resolve-search.ts'
import type { SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { SearchQueue } from './search-queue.ts'

/** The index of this machine, for searches with models. */
export function localSearches(searches: Pick<SearchQueue, 'search'>, reads: SnapshotReads): SearchedIndex {
  return {
    expectTimes: parsed => {
      resolveSearch(parsed, reads.currentInstant())
    },
    search: async (parsed, complete) => {
      const answer = await searches.search(parsed, reads, complete)
      const { instant } = answer.receipt
      return {
        answer,
        read: work =>
          reads.read(
            () => ({ instant }),
            (_, snapshot) => work(snapshot),
          ),
      }
    },
  }
}
