import { userInfo } from 'node:os'
import {
  type DataFolder,
  type FolderPart,
  type LocalDataFolder,
  openDataFolder,
  reachDataFolder,
} from '../../service/data-folder/index.ts'
import { printableJson } from '../../service/index.ts'
import { type StoreFolder, storePart } from '../../store/folder/index.ts'
import { type Terminal, terminalOf } from './confirmation.ts'
import type { Flags } from './flags.ts'
import { Progress } from './output/progress.ts'
import { dataDir, loadSettings, misspelledVariables, type Settings } from './settings/settings.ts'

/**
 * Returns a signal that the first Ctrl-C (or SIGTERM, or SIGHUP when the terminal closes) aborts, so that the command
 * finishes its current commit and stops. A second Ctrl-C or SIGTERM ends the process at once.
 */
export function onInterrupt(notice: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(1)
    notice('finishing the current work, then stopping; press Ctrl-C again to stop at once')
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  // When a terminal closes, the shell and the system may both send SIGHUP, so the second one must not end the process. Nobody
  // can read a notice then.
  process.on('SIGHUP', () => controller.abort())
  return controller.signal
}

/** The environment of a command: its folder, its settings, the clock, the user and the output. */
export interface CommandContext {
  dir: string
  settings: Settings
  /** What a store keeps in the folder. */
  store: FolderPart<StoreFolder>
  json: boolean
  progress: Progress
  now: () => number
  /** The user who runs the command, for the audit log of accounts. */
  actor: string
  /**
   * Writes text and a line break to standard output: JSON, or text of which each part that a page may have written is `printable`.
   */
  print: (text: string) => void
  /** Where questions are asked. Undefined if a program runs the command. */
  terminal: Terminal | undefined
  /** True if standard output is a terminal and NO_COLOR is not set. */
  color: boolean
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In some containers the system has no name for the user.
    return `user ${process.getuid?.()}`
  }
}

/**
 * Creates the context of a command from its flags, the environment and the settings of the data folder.
 *
 * @param defaultDir - the data folder if neither a flag nor the environment names one.
 */
export async function commandContext(flags: Flags, defaultDir?: string): Promise<CommandContext> {
  const dir = dataDir(flags, process.env, defaultDir)
  const settings = await loadSettings(dir, flags, process.env)
  const progress = new Progress(process.stderr, () => performance.now())
  for (const line of misspelledVariables(process.env)) progress.line(`asof: ${line}`)
  return {
    dir,
    settings,
    store: storePart(settings),
    json: flags.json === true,
    progress,
    now: Date.now,
    actor: `command line of ${userName()}`,
    print: text => {
      progress.clear()
      process.stdout.write(`${printableJson(text)}\n`)
    },
    terminal: terminalOf(process),
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  }
}

/** Closes a folder after work on it. */
async function closeAfter<Folder extends DataFolder, T>(
  folder: Folder,
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** What a command needs of the data folder. */
interface FolderNeeds {
  /**
   * True to create a missing folder. Default false: a missing folder causes ASOF_STORE_MISSING, because its path may be
   * misspelled.
   */
  create?: boolean
}

/** Opens the data folder, or connects to the process that holds it, for a command that ends soon. */
export async function withData<T>(
  context: CommandContext,
  work: (folder: DataFolder) => Promise<T>,
  { create = false }: FolderNeeds = {},
): Promise<T> {
  // Short commands do not apply `retain` (deleting old versions), which takes effect over time.
  const { retain: _, ...options } = folderOptions(context)
  const folder = await reachDataFolder(context.dir, { ...options, create, share: false })
  return await closeAfter(folder, work)
}

function folderOptions({ settings, store, now, progress }: CommandContext) {
  const {
    host,
    port,
    logLevel,
    sealedAt,
    storefrontWording,
    storefrontUpstream,
    modelsFolder,
    http,
    payments,
    purchases,
    ...options
  } = settings
  return { ...options, parts: [store], now, onNotice: (line: string) => progress.line(`asof: ${line}`) }
}

/** Returns the options to open a folder for a command that runs long. */
function longWork(context: CommandContext) {
  const options = folderOptions(context)
  return { ...options, share: true, signal: onInterrupt(options.onNotice) }
}

/** A data folder that can be opened repeatedly while a command runs. */
interface SharedFolder {
  /** Opens the folder, or connects to its holder. While it is open, other commands reach it through the socket. */
  open(): Promise<DataFolder>
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal
}

export function sharedFolder(context: CommandContext, { create = false }: FolderNeeds = {}): SharedFolder {
  const options = { ...longWork(context), create }
  return { open: () => reachDataFolder(context.dir, options), signal: options.signal }
}

/**
 * Opens the data folder, or connects to the process that holds it, for a command that runs long. While this process holds the
 * folder, other commands reach it through a socket. The first Ctrl-C aborts `signal`.
 */
export async function withSharedData<T>(
  context: CommandContext,
  work: (folder: DataFolder, signal: AbortSignal) => Promise<T>,
  needs?: FolderNeeds,
): Promise<T> {
  const { open, signal } = sharedFolder(context, needs)
  return await closeAfter(await open(), folder => work(folder, signal))
}

/**
 * Like {@link withSharedData}, for servers: always opens the folder in this process, and creates a missing one.
 *
 * @throws ASOF_STORE_LOCKED - another process holds the folder.
 */
export async function withHeldData<T>(
  context: CommandContext,
  work: (folder: LocalDataFolder, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { ...longWork(context), refetch: true, create: true }
  return await closeAfter(await openDataFolder(context.dir, options), folder => work(folder, options.signal))
}
