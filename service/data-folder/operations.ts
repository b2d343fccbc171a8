import type { AddOptions, BulkOptions, Engine, ObservationInput, PageSelection, Reads, TimeInput } from '@asof/core'
import type { Corpus } from '../../crawler/index.ts'
import type { AdminActName } from '../accounts/index.ts'
import type { FeedbackSubmission } from '../calls/feedback-journal.ts'
import type { ReadablePage } from '../calls/reader.ts'
import type { CrawlLimits } from '../crawls/crawl-definition.ts'
import type { DataFolder } from './data-folder.ts'

/** Methods of the engine whose arguments and results are plain JSON. */
export const engineMethods = [
  'search',
  'passages',
  'check',
  'suggest',
  'page',
  'history',
  'timeline',
  'verify',
  'verifyAll',
  'export',
  'markSeen',
  'remove',
  'purge',
  'stats',
  'captureHistogram',
  'fields',
  'relevance',
  'setRelevance',
] as const satisfies readonly (keyof Engine)[]

export type EngineMethod = (typeof engineMethods)[number]

/** Methods of the engine that write or copy: operations of their own. A sealed engine refuses them at once. */
export const longMethods = [
  'add',
  'removeAll',
  'purgeAll',
  'embed',
  'backup',
] as const satisfies readonly (keyof Engine)[]

/** The process that has a data folder open. */
export interface Holder {
  pid: number
  /** The URL at which it serves the folder. Absent if it does not. */
  address?: string | undefined
}

/** What an operation can use besides its arguments. */
interface Run {
  /** Sends progress to the caller. Resolves when the caller is ready for more. */
  onProgress: (progress: unknown) => Promise<void>
  /** Aborts when the caller asks for it or disconnects. */
  caller: AbortSignal
  /** Aborts when `caller` does, and when this process stops. */
  signal: AbortSignal
  /** This process, which has the folder open. */
  holder: () => Holder
  /** The observations or URLs that the caller sends. */
  items: () => AsyncIterable<unknown>
}

/** Without a selection, the caller sends a list of URLs. */
type DeletionArguments = [selection: PageSelection | undefined, options: BulkOptions]

/** Operations that another process can run in a data folder, in addition to the {@link engineMethods}. */
const otherOperations = {
  holder: async (_folder, _: [], { holder }) => holder(),
  add: ({ engine }, [options]: [AddOptions?], { items }) =>
    engine.add(items() as AsyncIterable<ObservationInput>, options),
  removeAll: ({ engine }, [selection, options]: DeletionArguments, { items, signal, onProgress }) =>
    engine.removeAll(selection ?? { urls: items() as AsyncIterable<string> }, { ...options, signal, onProgress }),
  purgeAll: ({ engine }, [selection, options]: DeletionArguments, { items, signal, onProgress }) =>
    engine.purgeAll(selection ?? { urls: items() as AsyncIterable<string> }, { ...options, signal, onProgress }),
  embed: ({ engine }, _: [], { signal, onProgress }) => engine.embed({ signal, onProgress }),
  backup: (folder, [dir]: [string], { signal, onProgress }) => folder.backup(dir, { signal, onProgress }),
  crawl: (folder, [corpus, limits]: [Corpus | string[], CrawlLimits], { signal, onProgress }) =>
    folder.crawl({ corpus, limits, signal, onProgress }),
  readLive: ({ readLive }, [url, zdr]: [string, boolean], { caller }) => readLive(url, { zdr, signal: caller }),
  readPage: ({ reader }, [page, prompt]: [ReadablePage, string]) => reader.read(page, prompt),
  recordFeedback: ({ journal }, [given, refetch]: [FeedbackSubmission, string[]]) => journal.record(given, refetch),
  exportFeedback: (folder, _: [], { onProgress, caller }) => folder.exportFeedback(onProgress, caller),
  administer: (folder, [act, input, actor]: [AdminActName, unknown, string]) => folder.administer(act, input, actor),
  operate: (folder, [name, args]: [string, unknown[]], { onProgress, caller }) =>
    folder.operate(name, args, { onProgress, signal: caller }),
} as const satisfies Record<string, (folder: DataFolder, args: never, run: Run) => Promise<unknown>>

export type OperationName = EngineMethod | keyof typeof otherOperations

/** An operation and its arguments as JSON. `null` stands for an argument that was not given. */
export interface EngineOperation {
  op: OperationName
  args: readonly unknown[]
  /** The instants at which the engine is sealed before it is asked, each in the engine of the one before. */
  seals?: readonly TimeInput[]
}

/** True if the caller sends items that belong to an operation: observations or URLs. */
export function takesItems({ op, args: [selection], seals }: EngineOperation): boolean {
  if (seals) return false
  return op === 'add' || ((op === 'removeAll' || op === 'purgeAll') && selection === null)
}

/** Runs an operation that another process sent. */
export async function perform(folder: DataFolder, { op, args, seals }: EngineOperation, run: Run): Promise<unknown> {
  const given = args.map(arg => arg ?? undefined) as never[]
  const methods = seals ? [...engineMethods, ...longMethods] : engineMethods
  const method = methods.find(name => name === op)
  if (method) {
    const engine = (seals ?? []).reduce<Reads>((unsealed, at) => unsealed.sealed(at), folder.engine)
    return await ((engine as Engine)[method] as (...args: never[]) => Promise<unknown>).apply(engine, given)
  }
  if (!Object.hasOwn(otherOperations, op)) throw new TypeError(`unknown operation ${String(op)}`)
  return await otherOperations[op as keyof typeof otherOperations](folder, given as never, run)
}
