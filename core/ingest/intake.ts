import type { ObservationInput } from '../page.ts'
import { ANALYZER } from '../text/languages/analyzers.ts'
import { addCaptures } from './add-captures.ts'
import type { AddReport } from './add-report.ts'
import { AnalysisPool } from './analysis-pool.ts'
import { CommitQueue } from './commit-queue.ts'
import type { Entry, Outcome } from './entry.ts'
import type { PassageVectors } from './passage-vectors.ts'

/** Options of an {@link Intake}. */
export interface IntakeOptions {
  /** The number of the analyzer. Default: that of new indexes. */
  analyzer?: number
  /** Adds entries in one commit. */
  write: (entries: readonly Entry[]) => Promise<Outcome[]>
  /** Time after which an idle analysis thread ends, milliseconds. Default: that of `AnalysisLimits`. */
  idleMs?: number
}

/** The way of observations into an index: they are analyzed on threads, and commits of concurrent callers are joined. */
export class Intake {
  readonly pool: AnalysisPool
  readonly #commits: CommitQueue

  constructor({ analyzer = ANALYZER, write, ...limits }: IntakeOptions) {
    this.pool = new AnalysisPool(analyzer, limits)
    this.#commits = new CommitQueue(write)
  }

  /** Checks, analyzes and commits observations, see `Engine.add`. */
  add(
    observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
    { now, passages }: { now: () => number; passages?: PassageVectors | undefined },
  ): Promise<AddReport> {
    return addCaptures(observations, { pool: this.pool, commits: this.#commits, now, passages })
  }

  /** Adds entries in one commit. */
  enter(entries: readonly Entry[]): Promise<readonly (Outcome | undefined)[]> {
    return this.#commits.submit(entries, 0)
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.pool.close()
  }
}
