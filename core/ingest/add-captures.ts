import { AsofError, failureOf, isAsofError, isGiven } from '@asof/extract/errors'
import { documentUrl } from '../document-url.ts'

import type { CaptureInput, DocumentInput, ObservationInput } from '../page.ts'
import type { AddReport } from './add-report.ts'
import type { AnalysisPool } from './analysis-pool.ts'
import type { AnalysisFailure, AnalysisResult } from './analyze.ts'
import type { AnalyzedCapture } from './analyzed-group.ts'
import { COMMIT_BYTES, COMMIT_CAPTURES, type CommitQueue } from './commit-queue.ts'
import { type Analyzed, captureOf, type Entry, type Outcome, type PlainEntry, urlOfEntry } from './entry.ts'
import type { PassageVectors } from './passage-vectors.ts'
import { preparePlainEntry } from './plain-entry.ts'
import { type FieldWarning, type PreparedCapture, prepareCapture } from './prepared-capture.ts'

/** Limits of a group: number of captures, and size of their bodies (UTF-16 units of text, or bytes). */
const GROUP_CAPTURES = 256
const GROUP_CHARS = 1024 * 1024

/** Options of {@link Engine.add}. */
export interface AddOptions {
  /**
   * When an embeddings model computes the vectors of the captures. `now`: before they are stored, so that the call takes as long as the model.
   * `later`: {@link Engine.embed} computes them; until then only their words find them. Without a model it has no effect. Default `now`.
   */
  vectors?: 'now' | 'later'
}

interface Addition {
  pool: AnalysisPool
  commits: CommitQueue
  now: () => number
  /** Undefined if no embeddings model is in use. */
  passages?: PassageVectors
}

interface Entries {
  entries: Entry[]
  /** Approximate size in memory, bytes. */
  bytes: number
}

/** A capture to analyze, or an entry that needs no analysis. */
type Prepared = PreparedCapture | PlainEntry

function isCapture(prepared: Prepared): prepared is PreparedCapture {
  return 'body' in prepared
}

/** Checks, analyzes and commits observations, with a bounded number of them in memory at a time. See `Engine.add`. */
export async function addCaptures(
  observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
  addition: Addition,
): Promise<AddReport> {
  if (!isIterable(observations)) throw new AsofError('ASOF_INVALID_CAPTURE', NO_LIST)
  const { commits } = addition
  const report: AddReport = {
    added: 0,
    revised: 0,
    unchanged: 0,
    removed: 0,
    failures: [],
    withoutText: [],
    replaced: [],
    warnings: [],
  }
  let waiting: Entries = { entries: [], bytes: 0 }
  let committing: Promise<void> = Promise.resolve()
  const commit = async (): Promise<void> => {
    const { entries, bytes } = waiting
    waiting = { entries: [], bytes: 0 }
    await committing
    if (entries.length === 0) return
    committing = commits.submit(entries, bytes).then(outcomes => count(entries, outcomes, report))
    // This handler only prevents an unhandled rejection. The failure is thrown where `committing` is awaited.
    committing.catch(() => {})
  }
  try {
    for await (const { entries, bytes } of analyzeGroups(observations, addition, report)) {
      waiting.entries.push(...entries)
      waiting.bytes += bytes
      if (waiting.entries.length >= COMMIT_CAPTURES || waiting.bytes >= COMMIT_BYTES) await commit()
    }
    await commit()
    await committing
    return report
  } finally {
    // The caller gets the error of reading the captures, but not before the running commit has ended.
    await committing.catch(() => {})
  }
}

const NO_LIST =
  'captures must be a list, or another iterable or async iterable, of captures; put a single capture into a list'

function isIterable(captures: unknown): boolean {
  if (typeof captures !== 'object' || captures === null) return false
  return Symbol.iterator in captures || Symbol.asyncIterator in captures
}

function count(entries: readonly Entry[], outcomes: readonly Outcome[], report: AddReport): void {
  entries.forEach((entry, i) => {
    const outcome = outcomes[i]
    if (outcome instanceof AsofError) report.failures.push(failureOf(urlOfEntry(entry), outcome))
    else if (outcome === 'captured') report.added++
    else if (outcome === 'revised') report.revised++
    else if (entry.kind === 'removal') report.removed++
    else report.unchanged++
    if (outcome !== 'unmatched' || entry.kind !== 'sighting') return
    const reason = 'no content of this URL has this instant: recorded as seen'
    report.warnings.push({ url: entry.given ?? entry.url, field: 'unchangedSince', reason })
  })
}

/**
 * Analyzes groups, several at a time, and yields the results in order. One group more than there are threads is under
 * way, so that no thread waits.
 */
async function* analyzeGroups(
  observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
  { pool, now, passages }: Addition,
  report: AddReport,
): AsyncGenerator<Entries> {
  const underWay: Promise<Entries>[] = []
  for await (const group of prepareGroups(observations, now, report)) {
    const captures = group.filter(isCapture)
    const analysis = pool.run(captures).then(async results => {
      const analyzed = entriesOf(group, contentsOf(captures, results, report))
      await passages?.attach(analyzed.entries)
      return analyzed
    })
    analysis.catch(() => {})
    underWay.push(analysis)
    if (underWay.length > pool.threads) yield (await underWay.shift()) as Entries
  }
  for (const analysis of underWay) yield await analysis
}

/** Returns the analyzed content of each capture; undefined for those that failed. */
function contentsOf(
  captures: readonly PreparedCapture[],
  results: readonly AnalysisResult[],
  report: AddReport,
): (Analyzed | undefined)[] {
  const isWhole = results.length === 1
  const failures = new Map<number, AnalysisFailure>()
  results.forEach((result, r) => {
    for (const failure of result.failures) failures.set(isWhole ? failure.index : r, failure)
  })
  let placed = 0
  return captures.map(({ url }, i): Analyzed | undefined => {
    const failure = failures.get(i)
    if (failure) report.failures.push({ url, message: failure.message, code: failure.code })
    const group = results[isWhole ? 0 : i]?.group
    if (failure || !group) return undefined
    const analyzed = { group, index: isWhole ? placed++ : 0 }
    countLosses(captureOf(analyzed), report)
    return analyzed
  })
}

function countLosses({ url, isEmpty, replaced: characters }: AnalyzedCapture, report: AddReport): void {
  if (isEmpty) report.withoutText.push(url)
  if (characters !== undefined) report.replaced.push({ url, characters })
}

/** @param contents - the analyzed captures of the group, in order; undefined for those that failed. */
function entriesOf(group: readonly Prepared[], contents: readonly (Analyzed | undefined)[]): Entries {
  const groups = new Set(contents.flatMap(content => content?.group ?? []))
  const bytes = [...groups].reduce((sum, { bodies, postings }) => sum + bodies.length + postings.postings.length, 0)
  let capture = 0
  const entries = group.flatMap((prepared): Entry[] => {
    if (!isCapture(prepared)) return [prepared]
    const analyzed = contents[capture++]
    return analyzed ? [{ kind: 'content', analyzed }] : []
  })
  return { entries, bytes }
}

async function* prepareGroups(
  observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
  now: () => number,
  report: AddReport,
): AsyncGenerator<Prepared[]> {
  let group: Prepared[] = []
  let chars = 0
  for await (const given of observations) {
    let observation = given
    try {
      observation = withUrl(given)
      const warnings: FieldWarning[] = []
      const ready = prepare(observation, now(), warning => warnings.push(warning))
      for (const warning of warnings) report.warnings.push({ url: observation.url, ...warning })
      if (isCapture(ready)) chars += ready.body.length
      group.push(ready)
    } catch (error) {
      const url = givenUrl(observation)
      report.failures.push(
        isAsofError(error)
          ? failureOf(url, error)
          : { url, message: 'the capture cannot be read', code: 'ASOF_INVALID_CAPTURE' },
      )
    }
    if (group.length >= GROUP_CAPTURES || chars >= GROUP_CHARS) {
      yield group
      group = []
      chars = 0
    }
  }
  if (group.length > 0) yield group
}

function prepare(input: ObservationInput, now: number, onWarning: (warning: FieldWarning) => void): Prepared {
  return preparePlainEntry(input, now) ?? prepareCapture(input as CaptureInput, now, onWarning)
}

/**
 * Gives a document without an address its URL, in place of its `id`. An `id` or a `url` that is null is absent.
 *
 * @throws ASOF_INVALID_CAPTURE - both are given.
 */
function withUrl(input: ObservationInput | DocumentInput): ObservationInput {
  if (typeof input !== 'object' || input === null || !('id' in input)) return input as ObservationInput
  const { id, url, ...capture }: { id?: unknown; url?: unknown } = input
  if (!isGiven(url)) return { url: documentUrl(id as string), ...capture } as ObservationInput
  if (!isGiven(id)) return { url, ...capture } as ObservationInput
  throw new AsofError(
    'ASOF_INVALID_CAPTURE',
    'id is given beside url; a page with an address has a url and no id, which may be a field instead',
    { details: { field: 'id' } },
  )
}

/** Returns the URL of an invalid capture, or its id; '' if it has neither. */
function givenUrl(capture: unknown): string {
  try {
    const { url, id } = capture as { url?: unknown; id?: unknown }
    const given = url ?? id
    return typeof given === 'string' ? given : ''
  } catch {
    // Reading the URL may throw, because the capture can be any object. The failure is then reported without a URL.
    return ''
  }
}
