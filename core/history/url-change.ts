import type { UrlRecord } from '../store/records/url-record.ts'
import {
  type ContentObservation,
  indexAfter,
  insertObservation,
  observationsOf,
  replacedBy,
  type UnresolvedObservation,
} from './observations.ts'
import { type CaptureSpan, type ResolvedHistory, resolveHistory, resolveRecord } from './resolve-history.ts'

/** What a commit changes at one URL. */
export interface HistoryChange<G> {
  /** The URL's record after the commit. */
  record: UrlRecord
  /** The role of each observation of content. */
  roles: ResolvedHistory<G>['roles']
  /** Captures to write: new ones, and stored content that now has the role of a capture. */
  added: CaptureSpan<G>[]
  /** Stored captures whose `supersededAt` changed. */
  ended: CaptureSpan<G>[]
  /**
   * Stored captures whose revisions changed, or that are now ended by a removal with another origin (declared or
   * stamped).
   */
  revised: CaptureSpan<G>[]
  /**
   * Stored captures to delete. Either they became sightings or revisions, because the same text was now observed just
   * before, or another observation replaced them.
   */
  collapsed: CaptureSpan<G>[]
  /** Stored revisions to delete, because they became sightings or captures or were replaced by another observation. */
  collapsedRevisions: number[]
  /** True if the URL had a capture before the commit. */
  hadCaptures: boolean
  /** True if the URL has a capture after the commit. */
  hasCaptures: boolean
}

/** Collects the observations that a commit adds to one URL. {@link resolve} computes what they change. */
export class UrlChange<G> {
  readonly #before: UrlRecord
  readonly #observations: UnresolvedObservation<G>[]
  #isChanged = false

  constructor(record: UrlRecord) {
    this.#before = record
    this.#observations = observationsOf(record)
  }

  get isChanged(): boolean {
    return this.#isChanged
  }

  /** Adds an observation. Returns true if the URL had a page just before it. */
  observe(observation: UnresolvedObservation<G>): boolean {
    this.#isChanged = true
    return insertObservation(this.#observations, observation)
  }

  /**
   * Returns the content that the observation would replace, since a URL has one observation per millisecond; undefined
   * if there is none.
   */
  replacedBy(observation: UnresolvedObservation<G>): ContentObservation<G> | undefined {
    const replaced = replacedBy(this.#observations, observation)
    return replaced?.kind === 'content' ? replaced : undefined
  }

  /** Returns the observations of content that a capture and its revisions hold. */
  contentOf(captureId: number): ContentObservation<G>[] {
    return this.#observations.filter(one => one.kind === 'content').filter(one => one.stored?.captureId === captureId)
  }

  /**
   * Returns a repetition, at the instant `at`, of the content observed at the instant `since`. Undefined if there is no
   * such content.
   */
  again(since: number, at: number): ContentObservation<G> | undefined {
    const content = this.#observations[indexAfter(this.#observations, since) - 1]
    if (content?.kind !== 'content' || content.at !== since) return undefined
    const { stored } = content
    return { ...content, at, declared: true, stored: stored && { ...stored, role: 'sighting' } }
  }

  /** @param nextId - returns the number of a new capture or revision. */
  resolve(nextId: () => number): HistoryChange<G> {
    const { record, roles, spans } = resolveHistory(this.#observations, nextId)
    const before = new Map(resolveRecord<G>(this.#before).spans.map(old => [old.captureId, old]))
    const change: HistoryChange<G> = {
      record,
      roles,
      added: [],
      ended: [],
      revised: [],
      collapsed: [],
      collapsedRevisions: [],
      hadCaptures: before.size > 0,
      hasCaptures: spans.length > 0,
    }
    const revisions = new Set<number>()
    for (const span of spans) {
      for (const { revisionId } of span.revisions) revisions.add(revisionId)
      const old = before.get(span.captureId)
      if (!old) {
        change.added.push(span)
        continue
      }
      before.delete(span.captureId)
      if (old.supersededAt !== span.supersededAt) change.ended.push(span)
      if (!hasSameRows(old, span)) change.revised.push(span)
    }
    change.collapsed.push(...before.values())
    for (const observation of this.#before)
      if (observation.kind === 'revision' && !revisions.has(observation.revisionId))
        change.collapsedRevisions.push(observation.revisionId)
    return change
  }
}

function hasSameRows<G>(a: CaptureSpan<G>, b: CaptureSpan<G>): boolean {
  const [endA, endB] = [a, b].map(({ removalDeclared, supersededAt }) => removalDeclared && supersededAt)
  return (
    endA === endB &&
    a.revisions.length === b.revisions.length &&
    a.revisions.every(({ revisionId }, i) => revisionId === b.revisions[i]?.revisionId)
  )
}
