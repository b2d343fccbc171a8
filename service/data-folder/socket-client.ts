import path from 'node:path'
import {
  type AddReport,
  AsofError,
  type BackupOptions,
  type BackupReport,
  type EmbedOptions,
  type EmbedReport,
  type Engine,
  type EngineStats,
  type ExportOptions,
  type ExportPart,
  type HistoryOptions,
  type HistoryPart,
  type ObservationInput,
  type Page,
  type PageOptions,
  type RemoveOptions,
  type SearchAnswer,
  type SearchOptions,
  type Suggestion,
  type Timeline,
} from '@asof/core'
import type { CrawlReport } from '../../crawler/index.ts'
import type { TrecPart } from '../feedback/trec-export.ts'
import type { LivePage, Reading } from '../index.ts'
import type { CrawlRun, DataFolder } from './data-folder.ts'
import { type CallOptions, callRemote } from './remote-call.ts'
import {
  type ClientLine,
  decodeFailure,
  encodeObservation,
  type Operation,
  type WireAddReport,
} from './socket-message.ts'

async function* observationLines(
  observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
): AsyncIterable<ClientLine> {
  for await (const observation of observations) yield { observation: encodeObservation(observation) }
  yield { end: true }
}

/** A process that holds a data folder and serves it at its socket. */
export interface FolderHolder {
  /** See `callRemote`. */
  call(operation: Operation, options?: CallOptions): Promise<unknown>
  close(): Promise<void>
}

/** Returns the holder that listens at a socket now. */
export function holderAt(socket: string): FolderHolder {
  return {
    call: (operation, options) => callRemote(socket, operation, options),
    close: async () => {},
  }
}

/** The engine of another process, used through its socket. */
export class RemoteEngine implements Engine {
  readonly #holder: FolderHolder

  constructor(holder: FolderHolder) {
    this.#holder = holder
  }

  async add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport> {
    const report = (await this.#call('add', [], { lines: observationLines(observations) })) as WireAddReport
    return { ...report, failed: report.failed.map(({ url, error }) => ({ url, error: decodeFailure(error) })) }
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    return (await this.#call('search', [query, options])) as SearchAnswer
  }

  async check(query: string, options: SearchOptions = {}): Promise<void> {
    await this.#call('check', [query, options])
  }

  async suggest(text: string, options: { maxResults?: number } = {}): Promise<Suggestion[]> {
    return (await this.#call('suggest', [text, options])) as Suggestion[]
  }

  async page(url: string, options: PageOptions = {}): Promise<Page | undefined> {
    return ((await this.#call('page', [url, options])) as Page | null) ?? undefined
  }

  async history(url: string, options: HistoryOptions = {}): Promise<HistoryPart> {
    return (await this.#call('history', [url, options])) as HistoryPart
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return ((await this.#call('timeline', [url])) as Timeline | null) ?? undefined
  }

  async export(options: ExportOptions = {}): Promise<ExportPart> {
    return (await this.#call('export', [options])) as ExportPart
  }

  async markSeen(url: string): Promise<boolean> {
    return (await this.#call('markSeen', [url])) as boolean
  }

  async remove(url: string, options: RemoveOptions = {}): Promise<boolean> {
    return (await this.#call('remove', [url, options])) as boolean
  }

  async purge(url: string): Promise<number> {
    return (await this.#call('purge', [url])) as number
  }

  async stats(): Promise<EngineStats> {
    return (await this.#call('stats', [])) as EngineStats
  }

  async embed({ onProgress, signal }: EmbedOptions = {}): Promise<EmbedReport> {
    const options = {
      ...(signal ? { signal } : {}),
      ...(onProgress ? { onProgress: (report: unknown) => onProgress(report as EmbedReport) } : {}),
    }
    return (await this.#call('embed', [], options)) as EmbedReport
  }

  /** The other process writes to `dir`, and also copies the other parts of the data folder. */
  async backup(dir: string, { beside, onProgress, signal }: BackupOptions = {}): Promise<BackupReport> {
    if (beside)
      throw new TypeError('beside is not supported: the process that holds the data folder copies its other parts')
    // The other process may finish a small backup before it receives the abort.
    if (signal?.aborted) throw new AsofError('ASOF_CLOSED', 'the backup was stopped')
    const options = {
      ...(signal ? { signal } : {}),
      ...(onProgress ? { onProgress: (bytes: unknown) => onProgress(bytes as number) } : {}),
    }
    return (await this.#call('backup', [path.resolve(dir)], options)) as BackupReport
  }

  /** Does nothing: the engine belongs to the other process. */
  async close(): Promise<void> {}

  #call(op: Operation['op'], args: unknown[], options: CallOptions = {}): Promise<unknown> {
    return this.#holder.call({ op, args }, options)
  }
}

/** A data folder that another process holds. The options of that process apply. */
export function remoteDataFolder(holder: FolderHolder): DataFolder {
  const engine = new RemoteEngine(holder)
  return {
    engine,
    backup: (dir, run) => engine.backup(dir, run),
    readLive: async (url, { zdr = false, signal } = {}) =>
      (await holder.call({ op: 'readLive', args: [url, { zdr }] }, signal ? { signal } : {})) as LivePage,
    reader: {
      read: async ({ url, title, markdown }, instruction) =>
        (await holder.call({ op: 'readPage', args: [{ url, title, markdown }, instruction] })) as Reading,
    },
    journal: {
      record: async (submission, refetch) =>
        (await holder.call({ op: 'recordFeedback', args: [submission, refetch] })) as { refetches: number },
    },
    exportFeedback: async (onPart, signal) => {
      await holder.call(
        { op: 'exportFeedback', args: [] },
        { ...(signal ? { signal } : {}), onProgress: part => onPart(part as TrecPart) },
      )
    },
    crawl: async ({ corpus, limits, signal, onProgress }: CrawlRun) =>
      (await holder.call(
        { op: 'crawl', args: [corpus, limits] },
        { ...(signal ? { signal } : {}), onProgress: event => onProgress?.(event as never) },
      )) as CrawlReport,
    administer: async (act, input, actor) =>
      (await holder.call({ op: 'administer', args: [act, input, actor] })) as object,
    payments: async (act, input) => (await holder.call({ op: 'payments', args: [act, input] })) as object,
    exportPayments: async (days, onPayment, signal) => {
      await holder.call(
        { op: 'exportPayments', args: [days] },
        { ...(signal ? { signal } : {}), onProgress: payment => onPayment(payment as object) },
      )
    },
    close: () => holder.close(),
  }
}
