import { userInfo } from 'node:os'
import type { DataFolder, HeldFolder } from '../service/data-folder/data-folder.ts'
import { holdData, openData } from '../service/data-folder/open-data.ts'
import { onInterrupt } from './interrupt.ts'
import { Progress } from './output/progress.ts'
import { dataDir, type Flags, loadSettings, misspelledVariables, type Settings } from './settings/settings.ts'

/** What every command works with: the one place below the entry point where the process's own things are taken. */
export interface CommandContext {
  dir: string
  settings: Settings
  json: boolean
  progress: Progress
  now: () => number
  /** Who runs the command, for the audit log of accounts. */
  actor: string
  /** Writes to standard output. */
  print: (text: string) => void
  /** Whether standard output is a terminal, and may be colored. */
  color: boolean
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user without an entry in the system's list has a number all the same.
    return `user ${process.getuid?.()}`
  }
}

/**
 * Reads what a command's flags, the environment and the folder's settings say.
 *
 * @param defaultDir - the data folder when none is named.
 */
export async function commandContext(flags: Flags, defaultDir?: string): Promise<CommandContext> {
  const dir = dataDir(flags, process.env, defaultDir)
  const settings = await loadSettings(dir, flags, process.env)
  const progress = new Progress(process.stderr, () => performance.now())
  for (const line of misspelledVariables(process.env)) progress.line(`asof: ${line}`)
  return {
    dir,
    settings,
    json: flags.json === true,
    progress,
    now: Date.now,
    actor: `command line of ${userName()}`,
    print: text => {
      progress.clear()
      process.stdout.write(`${text}\n`)
    },
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  }
}

async function letGoAfter<Folder extends DataFolder, T>(
  folder: Folder,
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** Whether a command may make a data folder: one that only reads must not, since its path may be misspelt. */
export interface FolderNeeds {
  /** Default false: a missing folder is ASOF_STORE_MISSING. */
  create?: boolean
}

/** Opens the data folder, or reaches its holder, for one short piece of work. */
export async function withData<T>(
  context: CommandContext,
  work: (folder: DataFolder) => Promise<T>,
  { create = false }: FolderNeeds = {},
): Promise<T> {
  const { settings, now, progress } = context
  const folder = await openData(context.dir, {
    create,
    allowPrivate: settings.allowPrivate,
    storeLive: settings.storeLive,
    liveRobots: settings.liveRobots,
    share: false,
    now,
    onNotice: line => progress.line(line),
    ...(settings.llm ? { llm: settings.llm } : {}),
    ...(settings.embeddings ? { embeddings: settings.embeddings } : {}),
    ...(settings.reranking ? { reranking: settings.reranking } : {}),
    ...(settings.payments ? { payments: settings.payments } : {}),
  })
  return await letGoAfter(folder, work)
}

function longWork({ settings, now, progress }: CommandContext) {
  const onNotice = (line: string) => progress.line(line)
  const signal = onInterrupt(onNotice)
  const { allowPrivate, storeLive, liveRobots, retain, cacheBytes, searchTimeoutMs } = settings
  const { llm, embeddings, reranking, payments } = settings
  return {
    allowPrivate,
    storeLive,
    liveRobots,
    share: true,
    now,
    signal,
    onNotice,
    ...(retain === undefined ? {} : { retain }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(searchTimeoutMs === undefined ? {} : { searchTimeoutMs }),
    ...(llm === undefined ? {} : { llm }),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(reranking === undefined ? {} : { reranking }),
    ...(payments === undefined ? {} : { payments }),
  }
}

/** A data folder that can be opened, or its holder reached, again and again while a command runs. */
export interface SharedFolder {
  /** Other commands get in through the socket meanwhile. */
  open(): Promise<DataFolder>
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal
}

export function sharedFolder(context: CommandContext, { create = false }: FolderNeeds = {}): SharedFolder {
  const options = { ...longWork(context), create }
  return { open: () => openData(context.dir, options), signal: options.signal }
}

/**
 * Opens the data folder, or reaches its holder, for work that takes long: other commands get in through the socket
 * meanwhile, and `signal` is aborted by the first Ctrl-C.
 */
export async function withSharedData<T>(
  context: CommandContext,
  work: (folder: DataFolder, signal: AbortSignal) => Promise<T>,
  needs?: FolderNeeds,
): Promise<T> {
  const { open, signal } = sharedFolder(context, needs)
  return await letGoAfter(await open(), folder => work(folder, signal))
}

/**
 * Like {@link withSharedData}, but in this process itself, and a missing folder is created: for servers.
 *
 * @throws ASOF_STORE_LOCKED - another process holds the folder.
 */
export async function withHeldData<T>(
  context: CommandContext,
  work: (folder: HeldFolder, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { ...longWork(context), refetch: true, create: true }
  return await letGoAfter(await holdData(context.dir, options), folder => work(folder, options.signal))
}
