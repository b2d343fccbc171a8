import type { AddReport } from '../engine.ts'
import { AsofError, isAsofError } from '../errors.ts'
import type { TypeRegistry } from '../fields/field-values.ts'
import type { CaptureInput } from '../page.ts'
import { type AnalysisPool, failureError } from './analysis-pool.ts'
import type { AnalysisResult } from './analyze.ts'
import type { Entry, Outcome } from './entry.ts'
import { BATCH_BYTES, BATCH_CAPTURES, type GroupCommit } from './group-commit.ts'
import type { PassageVectors } from './passage-vectors.ts'
import { type FieldWarning, type PreparedCapture, prepareCapture } from './prepared-capture.ts'

/** Maximum number of captures, and of UTF-16 units or bytes of their bodies, analyzed together. */
const GROUP_CAPTURES = 256
const GROUP_CHARS = 1024 * 1024

interface Addition {
  pool: AnalysisPool
  commits: GroupCommit
  now: () => number
  types: TypeRegistry
  /** Undefined if no embeddings model is in use. */
  passages?: PassageVectors
}

/** Entries gathered for one commit. */
interface Unit {
  entries: Entry[]
  /** About how many bytes they take in memory. */
  bytes: number
}

/** Checks, analyzes and commits captures, with a bounded number of them in memory at a time. See `Engine.add`. */
export async function addCaptures(
  captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>,
  addition: Addition,
): Promise<AddReport> {
  if (!isIterable(captures)) throw new AsofError('ASOF_INVALID_CAPTURE', NO_LIST)
  const { commits } = addition
  const report: AddReport = { added: 0, revised: 0, unchanged: 0, failed: [], warnings: [] }
  let unit: Unit = { entries: [], bytes: 0 }
  let committing: Promise<void> = Promise.resolve()
  const commit = async (): Promise<void> => {
    const { entries, bytes } = unit
    unit = { entries: [], bytes: 0 }
    await committing
    if (entries.length === 0) return
    committing = commits.submit(entries, bytes).then(outcomes => count(outcomes, report))
    // A failure is thrown where `committing` is awaited: before the next commit, or at the end.
    committing.catch(() => {})
  }
  try {
    for await (const group of analyzed(captures, addition, report)) {
      unit.entries.push(...group.entries)
      unit.bytes += group.bytes
      if (unit.entries.length >= BATCH_CAPTURES || unit.bytes >= BATCH_BYTES) await commit()
    }
    await commit()
    await committing
    return report
  } finally {
    // If reading the captures fails, the caller gets that error, but only after the commit under way has ended.
    await committing.catch(() => {})
  }
}

const NO_LIST =
  'captures must be a list, or another iterable or async iterable, of captures; put a single capture into a list'

function isIterable(captures: unknown): boolean {
  if (typeof captures !== 'object' || captures === null) return false
  return Symbol.iterator in captures || Symbol.asyncIterator in captures
}

function count(outcomes: readonly Outcome[], report: AddReport): void {
  for (const outcome of outcomes) {
    if (outcome === 'captured') report.added++
    else if (outcome === 'revised') report.revised++
    else report.unchanged++
  }
}

/** Analyzes groups in the order of their captures, one more at a time than there are threads. */
async function* analyzed(
  captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>,
  { pool, now, types, passages }: Addition,
  report: AddReport,
): AsyncGenerator<Unit> {
  const underWay: Promise<Unit>[] = []
  for await (const group of prepared(captures, { now, types }, report)) {
    const analysis = pool.run(group).then(async results => {
      const unit = unitOf(group, results, report)
      await passages?.attach(unit.entries)
      return unit
    })
    analysis.catch(() => {})
    underWay.push(analysis)
    if (underWay.length > pool.threads) yield (await underWay.shift()) as Unit
  }
  for (const analysis of underWay) yield await analysis
}

function unitOf(sent: readonly PreparedCapture[], results: readonly AnalysisResult[], report: AddReport): Unit {
  const unit: Unit = { entries: [], bytes: 0 }
  results.forEach((result, r) => {
    for (const failure of result.failures) {
      const capture = sent[results.length === 1 ? failure.index : r]
      report.failed.push({ url: capture?.url ?? '', error: failureError(failure) })
    }
    const { group } = result
    group.captures.forEach((_, index) => {
      unit.entries.push({ kind: 'content', analyzed: { group, index } })
    })
    unit.bytes += group.bodies.length + group.postings.postings.length
  })
  return unit
}

async function* prepared(
  captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>,
  { now, types }: Pick<Addition, 'now' | 'types'>,
  report: AddReport,
): AsyncGenerator<PreparedCapture[]> {
  let group: PreparedCapture[] = []
  let chars = 0
  for await (const capture of captures) {
    try {
      const warnings: FieldWarning[] = []
      const ready = prepareCapture(capture, now(), warning => warnings.push(warning), types)
      for (const warning of warnings) report.warnings.push({ url: capture.url, ...warning })
      group.push(ready)
      chars += ready.body.length
    } catch (error) {
      report.failed.push({
        url: urlOf(capture),
        error: isAsofError(error)
          ? error
          : new AsofError('ASOF_INVALID_CAPTURE', 'the capture cannot be read', { cause: error }),
      })
    }
    if (group.length >= GROUP_CAPTURES || chars >= GROUP_CHARS) {
      yield group
      group = []
      chars = 0
    }
  }
  if (group.length > 0) yield group
}

/** The URL of an invalid capture; empty if it has none. */
function urlOf(capture: unknown): string {
  try {
    const { url } = capture as CaptureInput
    return typeof url === 'string' ? url : ''
  } catch {
    // The URL itself cannot be read. The failure is reported without it.
    return ''
  }
}
