import type { IndexWriter } from '../ingest/index-writer.ts'
import type { Intake } from '../ingest/intake.ts'
import { viewsAt } from '../postings/segment-view.ts'
import { KnownFields } from '../search/fields/known-fields.ts'
import type { Snapshot, Snapshots } from '../store/snapshots/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { BulkIndex } from './bulk-index.ts'
import { selectPages } from './page-selection.ts'

/** The parts of the engine that bulk deletions use. */
export interface BulkParts {
  store: Store
  snapshots: Snapshots
  writer: IndexWriter
  intake: Intake
}

/** The index of a folder, for bulk deletions. */
export function localIndex({ store, snapshots, writer, intake }: BulkParts): BulkIndex {
  const readAt = <T>(asOf: number | undefined, work: (snapshot: Snapshot) => T | Promise<T>): Promise<T> =>
    snapshots.read(
      () => ({ asOf }),
      (_, snapshot) => work(snapshot),
    )
  return {
    currentInstant: () => snapshots.currentInstant(),
    fieldNames: at =>
      readAt(at, ({ catalog, instant }) => new KnownFields(viewsAt(catalog.segments, instant)).fieldNames()),
    select: (conditions, range, at) => readAt(at, snapshot => selectPages(store, conditions, range, snapshot)),
    read: (_, at, work) => readAt(at, work),
    latest: async (_, work) => work(await snapshots.latest()),
    enter: entries => intake.enter(entries),
    purge: urls => writer.purge(urls),
  }
}
