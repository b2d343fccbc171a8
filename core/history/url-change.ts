import type { UrlRecord } from '../store/records/url-record.ts'
import { enterLook, type Look, looksOf, type Settled, type Stretch, settle, settledAs } from './url-history.ts'

/** What a batch changes at one URL. */
export interface UrlSettlement<G> {
  record: UrlRecord
  roles: Settled<G>['roles']
  /** Captures that the index does not have as such yet. */
  added: Stretch<G>[]
  /** Captures that the index has and that end at another instant now. */
  ended: Stretch<G>[]
  /** Captures that the index has and whose list of revisions is another one now. */
  revised: Stretch<G>[]
  /** Captures that turned into sightings or revisions: the same text was observed just before them. */
  dropped: Stretch<G>[]
  /** Revisions that turned into sightings or captures. */
  droppedRevisions: number[]
  /** Whether the URL had a capture before, and has one now. */
  hadCaptures: boolean
  hasCaptures: boolean
}

/** Gathers what a batch observes at one URL; what that changes is worked out once, at the end. */
export class UrlChange<G> {
  readonly #before: UrlRecord
  readonly #looks: Look<G>[]

  constructor(record: UrlRecord) {
    this.#before = record
    this.#looks = looksOf(record)
  }

  /** Returns whether there was a page just before. */
  observe(look: Look<G>): boolean {
    return enterLook(this.#looks, look)
  }

  settle(nextId: () => number): UrlSettlement<G> {
    const { record, roles, stretches } = settle(this.#looks, nextId)
    const before = new Map(settledAs<G>(this.#before).stretches.map(old => [old.captureId, old]))
    const settlement: UrlSettlement<G> = {
      record,
      roles,
      added: [],
      ended: [],
      revised: [],
      dropped: [],
      droppedRevisions: [],
      hadCaptures: before.size > 0,
      hasCaptures: stretches.length > 0,
    }
    const revisions = new Set<number>()
    for (const stretch of stretches) {
      for (const { revisionId } of stretch.revisions) revisions.add(revisionId)
      const old = before.get(stretch.captureId)
      if (!old) {
        settlement.added.push(stretch)
        continue
      }
      before.delete(stretch.captureId)
      if (old.supersededAt !== stretch.supersededAt) settlement.ended.push(stretch)
      if (!hasSameRevisions(old, stretch)) settlement.revised.push(stretch)
    }
    settlement.dropped.push(...before.values())
    for (const observation of this.#before)
      if (observation.kind === 'revision' && !revisions.has(observation.revisionId))
        settlement.droppedRevisions.push(observation.revisionId)
    return settlement
  }
}

function hasSameRevisions<G>(a: Stretch<G>, b: Stretch<G>): boolean {
  return (
    a.revisions.length === b.revisions.length &&
    a.revisions.every(({ revisionId }, i) => revisionId === b.revisions[i].revisionId)
  )
}
