import type { DataFolder } from './data-folder.ts'
import { onInterrupt } from './interrupt.ts'
import { holdData, openData } from './open-data.ts'
import { Progress } from './progress.ts'
import { dataDir, type Flags, loadSettings, type Settings } from './settings.ts'

/** What every command works with: the one place below the entry point where the process's own things are taken. */
export interface CommandContext {
  dir: string
  settings: Settings
  json: boolean
  progress: Progress
  now: () => number
  /** Writes to standard output. */
  print: (text: string) => void
  /** Whether standard output is a terminal, and may be coloured. */
  colour: boolean
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
  return {
    dir,
    settings,
    json: flags.json === true,
    progress,
    now: Date.now,
    print: text => {
      progress.clear()
      process.stdout.write(`${text}\n`)
    },
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  }
}

async function letGoAfter<T>(folder: DataFolder, work: (folder: DataFolder) => Promise<T>): Promise<T> {
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** Opens the data folder, or reaches its holder, for one short piece of work. */
export async function withData<T>(context: CommandContext, work: (folder: DataFolder) => Promise<T>): Promise<T> {
  const { settings, now, progress } = context
  const folder = await openData(context.dir, {
    allowPrivate: settings.allowPrivate,
    share: false,
    now,
    onNotice: line => progress.line(line),
    ...(settings.llm ? { llm: settings.llm } : {}),
  })
  return await letGoAfter(folder, work)
}

/**
 * Opens the data folder, or reaches its holder, for work that takes long: other commands get in through the socket
 * meanwhile, and `signal` is aborted by the first Ctrl-C.
 *
 * @param hold - whether the folder must be held by this process itself; then one held elsewhere is ASOF_STORE_LOCKED.
 */
export async function withSharedData<T>(
  context: CommandContext,
  hold: boolean,
  work: (folder: DataFolder, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { settings, now, progress } = context
  const onNotice = (line: string) => progress.line(line)
  const signal = onInterrupt(onNotice)
  const { allowPrivate, retain, llm } = settings
  const options = {
    allowPrivate,
    share: true,
    refetch: hold,
    now,
    signal,
    onNotice,
    ...(retain === undefined ? {} : { retain }),
    ...(llm === undefined ? {} : { llm }),
  }
  const folder = await (hold ? holdData(context.dir, options) : openData(context.dir, options))
  return await letGoAfter(folder, open => work(open, signal))
}
