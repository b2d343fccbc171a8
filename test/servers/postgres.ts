import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { unprivileged } from './unprivileged.ts'

/** A PostgreSQL server for tests, empty at first. It ends with the process that started it, also if that is killed. */
export interface PostgresServer {
  /** Connects as its owner to the database `postgres`. */
  url: string
  /** Process id of the server, for tests that kill it. */
  readonly pid: number
  /** Kills the server at once. Its data stay. */
  kill(): Promise<void>
  /** Starts it again after {@link kill}, on the same port. */
  start(): Promise<void>
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>
}

/**
 * The folder with `initdb` and `postgres`: that of `ASOF_POSTGRES_BIN`, else the newest of Debian's package. Undefined if this
 * machine has none, and tests should skip.
 */
export function postgresBin(): string | undefined {
  const { ASOF_POSTGRES_BIN: named } = process.env
  if (named) return named
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map(version => join(root, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
}

/** Says why a test that needs PostgreSQL is skipped. */
export const NO_POSTGRES = 'skipped: no PostgreSQL here (install Debian\'s "postgresql", or set ASOF_POSTGRES_BIN)'

/**
 * Starts a new, empty PostgreSQL on a free port of loopback, as an unprivileged user.
 *
 * @param settings - further settings of the server, such as `max_connections=200`.
 */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const bin = postgresBin()
  if (!bin) throw new Error(NO_POSTGRES)
  const folder = await mkdtemp(join(tmpdir(), 'asof-postgres-'))
  const user = unprivileged()
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const initialize = [
    '-D',
    data,
    '-U',
    'asof',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]
  // The folder of the caller may be closed to the unprivileged user.
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, HOME: folder } }
  await promisify(execFile)(join(bin, 'initdb'), initialize, options)
  const port = await freePort()
  // Nothing survives the test, so nothing needs to reach the disk.
  const all = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'fsync=off',
    ...settings,
  ]
  const words = ['-D', data, ...all.flatMap(setting => ['-c', setting])]
  let server = await launch(join(bin, 'postgres'), words, options)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  return {
    url: `postgres://asof@127.0.0.1:${port}/postgres`,
    get pid() {
      return server.pid!
    },
    kill: () => end('SIGKILL'),
    async start() {
      const giveUpAt = performance.now() + RESTART_MS
      for (;;)
        try {
          server = await launch(join(bin, 'postgres'), words, options)
          return
        } catch (error) {
          // Processes of the server that was killed still have its memory.
          if (performance.now() > giveUpAt) throw error
          await sleep(200)
        }
    },
    async stop() {
      // "Fast" shutdown: open connections are ended.
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Time in which the processes of a killed server end, milliseconds. */
const RESTART_MS = 60_000

async function launch(command: string, words: readonly string[], options: SpawnOptions): Promise<ChildProcess> {
  const server = spawn(command, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  endWithUs(server, String(options.cwd))
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr!.on('data', (lines: Buffer) => {
      log = (log + lines.toString()).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL ended before it was ready:\n${log}`)))
  })
  return server
}

/** A shell that waits for the end of its input, which ends with the process at the other end; then it ends a server and deletes its folder. */
const ENDING = 'read -r _; kill -QUIT "$1"; sleep 1; rm -rf "$2"'

/** Ends a server when this process ends, however that happens. */
function endWithUs(server: ChildProcess, folder: string): void {
  // Not in the group of this process: Ctrl+C must not end it first.
  const watcher = spawn('sh', ['-c', ENDING, 'sh', String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  server.once('exit', () => watcher.kill('SIGKILL'))
}
