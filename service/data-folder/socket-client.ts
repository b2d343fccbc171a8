import path from 'node:path'
import {
  AsofError,
  type BulkOptions,
  type BulkReport,
  type DocumentInput,
  type Engine,
  type ObservationInput,
  type PageSelection,
  type Reads,
  type TimeInput,
} from '@asof/core'
import { everyObservation, everyVersion } from '@asof/core/internal'
import type { DataFolder } from './data-folder.ts'
import {
  type EngineMethod,
  type EngineOperation,
  engineMethods,
  longMethods,
  type OperationName,
} from './operations.ts'
import type { CallOptions } from './remote-call.ts'

/** Yields observations as they are sent. The other process gives a document without an address its URL. */
async function* sentObservations(
  observations: Iterable<ObservationInput | DocumentInput> | AsyncIterable<ObservationInput | DocumentInput>,
): AsyncIterable<unknown> {
  for await (const observation of observations) {
    const sent: Record<string, unknown> = { ...observation }
    // JSON would make a list of numbers of a `Buffer` before its bytes are encoded.
    for (const [name, body] of Object.entries(sent))
      if (Buffer.isBuffer(body)) sent[name] = new Uint8Array(body.buffer, body.byteOffset, body.length)
    yield sent
  }
}

/** A process that has a data folder open and serves it at its socket. */
export interface FolderHolder {
  /** See `callRemote`. */
  call(operation: EngineOperation, options?: CallOptions): Promise<unknown>
  close(): Promise<void>
}

/**
 * Runs an operation in that process. The type of its result can be relied on, because both ends are the same package.
 */
type Call = <Result>(op: OperationName, args: readonly unknown[], options?: CallOptions) => Promise<Result>

/** Deletes the pages of a selection. A list of URLs is sent line by line, so that it may have any length. */
function deleteAll(
  call: Call,
  op: 'removeAll' | 'purgeAll',
  selection: PageSelection,
  { signal, onProgress, ...options }: BulkOptions = {},
): Promise<BulkReport> {
  const { urls, ...conditions } = selection
  // The other process rejects a list that is none, or that has conditions beside it.
  const isList = typeof urls === 'object' && Object.values(conditions).every(condition => condition === undefined)
  return call(op, [isList ? null : selection, options], { signal, onProgress, items: isList ? urls : undefined })
}

/** Returns the methods whose arguments and results are sent as they are, and those that call them again and again. */
function plainMethods(call: Call): Pick<Engine, EngineMethod | 'versions' | 'exportAll'> {
  const sent = engineMethods.map(name => [name, (...args: unknown[]) => call(name, args)])
  const methods = Object.fromEntries(sent) as Pick<Engine, EngineMethod>
  return {
    ...methods,
    versions: (url, options) => everyVersion(methods, url, options),
    exportAll: () => everyObservation(methods),
  }
}

function remoteEngine(call: Call, sealing: (seals: TimeInput[]) => Call): Engine {
  return {
    ...plainMethods(call),
    add: (observations, options) => call('add', [options], { items: sentObservations(observations) }),
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
    /** The other process checks the instant: a wrong one makes every call reject. */
    sealed: at => sealedRemoteEngine([at], sealing),
    /** Does nothing, because the engine belongs to the other process. */
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

function sealedRemoteEngine(seals: TimeInput[], sealing: (seals: TimeInput[]) => Call): Reads {
  const call = sealing(seals)
  // The arguments of these, such as long lists, are not sent: the other process refuses them anyway.
  const refused = longMethods.map(name => [name, () => call(name, [])])
  return {
    ...plainMethods(call),
    ...Object.fromEntries(refused),
    sealed: at => sealedRemoteEngine([...seals, at], sealing),
    close: async () => {},
  }
}

/** A data folder that another process has open. The options of that process apply. */
export function remoteDataFolder(holder: FolderHolder): DataFolder {
  const sealing =
    (seals?: TimeInput[]): Call =>
    async <Result>(op: OperationName, args: readonly unknown[], options?: CallOptions) =>
      (await holder.call({ op, args, seals }, options)) as Result
  const call = sealing()
  const engine = remoteEngine(call, sealing)
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
    exportFeedback: (onProgress, signal) => call('exportFeedback', [], { onProgress, signal }),
    operate: (name, args, run) => call('operate', [name, args], run),
    close: () => holder.close(),
  }
}
