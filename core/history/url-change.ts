import type { UrlRecord } from '../store/records/url-record.ts'
import {
  type ContentObservation,
  indexAfter,
  insertObservation,
  observationsOf,
  type PlainObservation,
  replacedBy,
} from './observations.ts'
import { type CaptureSpan, type ResolvedHistory, resolveHistory, resolveRecord } from './resolve-history.ts'

/** What a commit changes at one URL. */
export interface HistoryChange<G> {
  /** The URL's record after the commit. */
  record: UrlRecord
  /** The role of each observation of content. */
  roles: ResolvedHistory<G>['roles']
  /** Captures that the index does not have as captures yet. */
  added: CaptureSpan<G>[]
  /** Captures in the index that are now superseded at another instant. */
  ended: CaptureSpan<G>[]
  /** Captures in the index whose revisions, or the declared removal that ends them, differ now. */
  revised: CaptureSpan<G>[]
  /**
   * Captures in the index that became sightings or revisions, because the same text was observed just before them, or whose
   * millisecond another observation took.
   */
  collapsed: CaptureSpan<G>[]
  /** Revisions in the index that became sightings or captures, or lost their millisecond. */
  collapsedRevisions: number[]
  /** True if the URL had a capture before the commit. */
  hadCaptures: boolean
  /** True if the URL has a capture after the commit. */
  hasCaptures: boolean
}

/** Gathers what a commit observes at one URL. What that changes is computed once, at the end. */
export class UrlChange<G> {
  readonly #before: UrlRecord
  readonly #observations: PlainObservation<G>[]
  #isChanged = false

  constructor(record: UrlRecord) {
    this.#before = record
    this.#observations = observationsOf(record)
  }

  /** True once anything was observed. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  /** Returns true if there was a page before the observation. */
  observe(observation: PlainObservation<G>): boolean {
    this.#isChanged = true
    return insertObservation(this.#observations, observation)
  }

  /** The content whose millisecond an observation would take; undefined if it takes none. */
  replacedBy(observation: PlainObservation<G>): ContentObservation<G> | undefined {
    const replaced = replacedBy(this.#observations, observation)
    return replaced?.kind === 'content' ? replaced : undefined
  }

  /** The observations of content that are stored with a capture: of its own content, and of its revisions. */
  contentOf(captureId: number): ContentObservation<G>[] {
    return this.#observations.filter(one => one.kind === 'content').filter(one => one.stored?.captureId === captureId)
  }

  /** An observation at `at` that repeats the content of `since`; undefined if no content is known at `since`. */
  again(since: number, at: number): ContentObservation<G> | undefined {
    const content = this.#observations[indexAfter(this.#observations, since) - 1]
    if (content?.kind !== 'content' || content.at !== since) return undefined
    const { stored } = content
    return { ...content, at, declared: true, ...(stored && { stored: { ...stored, role: 'sighting' } }) }
  }

  /** @param nextId - numbers new captures and revisions. */
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
