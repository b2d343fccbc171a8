import path from 'node:path'
import {
  AsofError,
  type BulkOptions,
  type BulkReport,
  type Engine,
  type ObservationInput,
  type PageSelection,
} from '@asof/core'
import type { DataFolder } from './data-folder.ts'
import { type EngineMethod, engineMethods, type Operation, type OperationName } from './operations.ts'
import type { CallOptions } from './remote-call.ts'
import { type ClientLine, decodeFailure, encodeObservation, type WireAddReport } from './socket-message.ts'

async function* observationLines(
  observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
): AsyncIterable<ClientLine> {
  for await (const observation of observations) yield { observation: encodeObservation(observation) }
  yield { end: true }
}

/** A process that has a data folder open and serves it at its socket. */
export interface FolderHolder {
  /** See `callRemote`. */
  call(operation: Operation, options?: CallOptions): Promise<unknown>
  close(): Promise<void>
}

/**
 * Runs an operation in that process. The type of its result can be relied on, because both ends are the same package.
 */
type Call = <Result>(op: OperationName, args: readonly unknown[], options?: CallOptions) => Promise<Result>

/** Number of URLs of a list that one operation deletes. */
const URLS_AT_ONCE = 10_000

/** Deletes the pages of a selection. A list of URLs is sent in parts, so that it may have any length. */
async function deleteAll(
  call: Call,
  op: 'removeAll' | 'purgeAll',
  { urls, ...conditions }: PageSelection,
  { signal, onProgress, ...options }: BulkOptions = {},
): Promise<BulkReport> {
  if (urls === undefined) return await call(op, [conditions, options], { signal, onProgress })
  const total: BulkReport = { pages: 0, captures: 0, failed: 0, failures: [], finished: true }
  const send = async (part: readonly string[]): Promise<void> => {
    const report = await call<BulkReport>(op, [{ ...conditions, urls: part }, options], { signal })
    total.pages += report.pages
    total.captures += report.captures
    total.failed += report.failed
    total.failures = [...total.failures, ...report.failures].slice(0, 100)
    total.finished = report.finished
    onProgress?.(total)
  }
  let part: string[] = []
  for await (const url of urls) {
    part.push(url)
    if (part.length < URLS_AT_ONCE) continue
    await send(part)
    part = []
    if (!total.finished) return total
  }
  await send(part)
  return total
}

function remoteEngine(call: Call): Engine {
  const methods = engineMethods.map(name => [name, (...args: unknown[]) => call(name, args)])
  return {
    ...(Object.fromEntries(methods) as Pick<Engine, EngineMethod>),
    add: async observations => {
      const report = await call<WireAddReport>('add', [], { lines: observationLines(observations) })
      return { ...report, failed: report.failed.map(({ url, error }) => ({ url, error: decodeFailure(error) })) }
    },
    removeAll: (selection, options) => deleteAll(call, 'removeAll', selection, options),
    purgeAll: (selection, options) => deleteAll(call, 'purgeAll', selection, options),
    embed: options => call('embed', [], options),
    /** The other process writes to `dir`, and copies the other parts of the data folder too. */
    backup: async (dir, { beside, ...options } = {}) => {
      if (beside)
        throw new TypeError('beside is not supported: the process that holds the data folder copies its other parts')
      // Checked before sending, because a small backup may be complete before the abort arrives.
      if (options.signal?.aborted) throw new AsofError('ASOF_CLOSED', 'the backup was stopped')
      return await call('backup', [path.resolve(dir)], options)
    },
    /** Does nothing, because the engine belongs to the other process. */
    close: async () => {},
  }
}

/** A data folder that another process has open. The options of that process apply. */
export function remoteDataFolder(holder: FolderHolder): DataFolder {
  const call: Call = async <Result>(op: OperationName, args: readonly unknown[], options?: CallOptions) =>
    (await holder.call({ op, args }, options)) as Result
  const engine = remoteEngine(call)
  return {
    engine,
    backup: (dir, request) => engine.backup(dir, request),
    readLive: (url, { zdr, signal } = {}) => call('readLive', [url, zdr], { signal }),
    reader: {
      read: ({ url, title, markdown }, instruction) => call('readPage', [{ url, title, markdown }, instruction]),
    },
    journal: { record: (submission, refetch) => call('recordFeedback', [submission, refetch]) },
    crawl: ({ corpus, limits, ...options }) => call('crawl', [corpus, limits], options),
    administer: (act, input, actor) => call('administer', [act, input, actor]),
    payments: (act, input) => call('payments', [act, input]),
    exportFeedback: (onProgress, signal) => call('exportFeedback', [], { onProgress, signal }),
    exportPayments: (days, onProgress, signal) => call('exportPayments', [days], { onProgress, signal }),
    close: () => holder.close(),
  }
}
