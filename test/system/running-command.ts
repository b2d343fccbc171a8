import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { open } from '../../core/index.ts'

/** The entry point of the command line. */
export const main = path.join(import.meta.dirname, '../../transports/cli/main.ts')

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** The commands that have not exited. */
const running = new Set<RunningCommand>()

/** A command that runs as a process of its own. */
export class RunningCommand {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  readonly finished: Promise<Finished>

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    // Settings in the environment of the tests must not reach the command.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ASOF_'))
    this.child = spawn(process.execPath, [main, ...args], { env: { ...Object.fromEntries(inherited), ...env } })
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    running.add(this)
    this.finished = once(this.child, 'close').then(([code]) => {
      running.delete(this)
      return { code, stdout: this.stdout, stderr: this.stderr }
    })
  }

  /** Resolves when the output of `stream` matches `pattern`. Rejects if the command exits before. */
  async shows(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    const ended = this.finished.then(({ code, stdout, stderr }) => {
      throw new Error(`ended with ${code} without ${pattern}: ${stdout}${stderr}`)
    })
    // If the pattern comes first, nothing awaits the exit any more.
    ended.catch(() => {})
    for (;;) {
      const match = pattern.exec(this[stream])
      if (match) return match
      await Promise.race([once(this.child[stream]!, 'data'), ended])
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }
}

/** Kills all commands that are still running. */
export async function endCommands(): Promise<void> {
  await Promise.all(
    Array.from(running, command => {
      command.signal('SIGKILL')
      return command.finished
    }),
  )
}

/** Starts a server of a data folder and waits until it listens. */
export async function serve(
  data: string,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ command: RunningCommand; url: string }> {
  const command = new RunningCommand(['serve', '--port', '0', '--data', data, ...flags], env)
  const [, url] = await command.shows('stdout', /^listening on (\S+)\n/)
  return { command, url: url! }
}

/** Runs a command until it exits. */
export function run(args: readonly string[], env?: Record<string, string>): Promise<Finished> {
  return new RunningCommand(args, env).finished
}

export async function temporaryFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-cli-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** Puts a page into a data folder, because an index without pages sells no search. */
export async function addPage(data: string): Promise<void> {
  const engine = await open(data)
  await engine.add([{ url: 'https://example.com/', text: 'tea' }])
  await engine.close()
}
