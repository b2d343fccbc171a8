import { setImmediate } from 'node:timers/promises'
import { ownCapture } from '../history/current-capture.ts'
import { lastChangeAt } from '../store/snapshots/last-change.ts'
import type { Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import { addPage, newestPages } from './newest-pages.ts'
import type { CollectedTitles, SuggestionSource } from './suggester.ts'
import { TitleColumnsBuilder } from './title-columns.ts'

/** Number of records read before yielding to the event loop. Reading them takes one or two milliseconds. */
const READS_PER_TURN = 25

/**
 * Collects titles on a search thread.
 *
 * @returns undefined if the calling thread has to collect them.
 */
export type CollectOnThread = (
  reads: Pick<SnapshotReads, 'read'>,
  asOf: number | undefined,
) => Promise<CollectedTitles | undefined>

/** The pages of a folder, for suggestions. */
export function localPages(reads: SnapshotReads, collectOnThread: CollectOnThread): SuggestionSource {
  const readAsOf = <T>(asOf: number | undefined, work: (snapshot: Snapshot) => T): Promise<T> =>
    reads.read(
      () => ({ asOf }),
      (_, snapshot) => work(snapshot),
    )
  return {
    sealedAt: reads.sealedAt,
    begin: instantOf =>
      reads.read(
        requestedAt => ({ asOf: instantOf(requestedAt) }),
        ({ asOf }, { catalog, instant }) => {
          const isNow = asOf === undefined && reads.sealedAt === Number.POSITIVE_INFINITY
          const state = isNow ? undefined : lastChangeAt(catalog.segments, instant)
          return { asOf, state, generation: catalog.manifest.generation }
        },
      ),
    collect: async asOf => (await collectOnThread(reads, asOf)) ?? (await collectInTurns(asOf)),
    currentOf: (urls, asOf) =>
      readAsOf(asOf, snapshot => {
        const captures = urls.map(url => [url, ownCapture(url, snapshot)?.captureId] as const)
        return new Map(captures.flatMap(([url, captureId]) => (captureId === undefined ? [] : [[url, captureId]])))
      }),
  }

  /** Collects titles on this thread, a few at a time. */
  async function collectInTurns(asOf: number | undefined): Promise<CollectedTitles> {
    const titles = new TitleColumnsBuilder()
    const { generation, pages } = await readAsOf(asOf, ({ catalog, instant, store }) => ({
      generation: catalog.manifest.generation,
      pages: newestPages(catalog.segments, instant, store),
    }))
    for (let isOver = false; !isOver; ) {
      isOver = await readAsOf(asOf, () => {
        for (let read = 0; read < READS_PER_TURN; read++) {
          const { value: page } = pages.next()
          if (!page) return true
          addPage(titles, page)
        }
        return false
      })
      // `read` may resolve at once, so this is needed to let other work run.
      await setImmediate()
    }
    return { generation, titles: titles.build() }
  }
}
