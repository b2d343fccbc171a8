import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

/** The ports that pages name. A test uses free ones in their place. */
const namedPorts = ['8787', '8080']

/** What a reader of a page does next: save a file, or type commands. */
export type Step =
  | { kind: 'file'; path: string; content: string }
  | {
      kind: 'commands'
      commands: string
      /** True if the last command keeps running. */
      isServer: boolean
      /** The output that the page shows. `…` stands for any text, and as a whole line for any lines. */
      shown: string | undefined
    }

/**
 * Returns what a page tells its reader to do. A block in `sh` is typed; with `server` behind it, its last command keeps running. A block in
 * `text` is the output of the block in `sh` before it. A block in another language is a file, which its first line names in a comment.
 *
 * @throws Error - a block is none of these.
 */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = []
  for (const [, language = '', isServer, content = ''] of markdown.matchAll(/^```(\w*)( server)?\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1)
    if (language === 'sh') {
      steps.push({ kind: 'commands', commands: content, isServer: isServer !== undefined, shown: undefined })
    } else if (language === 'text' && last?.kind === 'commands' && last.shown === undefined) {
      last.shown = content
    } else {
      const path = /^\/\/ ([\w-]+\.\w+)\n/.exec(content)?.[1]
      if (path === undefined)
        throw new Error(`a block has no name of a file, or shows the output of nothing: ${content}`)
      steps.push({ kind: 'file', path, content })
    }
  }
  return steps
}

/** Says whether an output is the one that a page shows. Space at the end does not count. */
export function isAsShown(printed: string, shown: string): boolean {
  const patterns = shown
    .trimEnd()
    .split('\n')
    .map(line => (line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escaped).join('.*')}\n`))
  return new RegExp(`^${patterns.join('')}$`).test(`${printed.trimEnd()}\n`)
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Somebody who follows pages in an empty folder next to the clone. */
export class Reader {
  readonly #outer = mkdtempSync(join(tmpdir(), 'asof-reader-'))
  readonly #folder = join(this.#outer, 'my-app')
  /** A free port for each that pages name. */
  readonly #ports: ReadonlyMap<string, string>
  readonly #environment: NodeJS.ProcessEnv
  readonly #processes: ChildProcess[] = []
  /** The shell in which commands are typed. What they set in it stays for the next ones. */
  readonly #shell: TypedShell

  private constructor(ports: ReadonlyMap<string, string>, installed: string | undefined) {
    this.#ports = ports
    const tools = join(this.#outer, 'tools')
    for (const folder of [tools, this.#folder]) mkdirSync(folder)
    symlinkSync(root, join(this.#outer, 'asof'), 'dir')
    if (installed === undefined) installSources(this.#folder, tools)
    else symlinkSync(installed, join(this.#folder, 'node_modules'), 'dir')
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ASOF_'))
    this.#environment = {
      ...Object.fromEntries(inherited),
      PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter),
      ASOF_PORT: ports.get('8787'),
      NO_COLOR: '1',
    }
    this.#shell = new TypedShell(this.#start(['-s']), this.#outer)
  }

  /** @param installed - the folder `node_modules` of an installation of asof. Default: asof runs from its sources. */
  static async begin(installed?: string): Promise<Reader> {
    const ports = new Map<string, string>()
    for (const port of namedPorts) ports.set(port, await freePort())
    return new Reader(ports, installed)
  }

  /**
   * Does a step. A step with a server is done when the output that the page shows was printed.
   *
   * @returns what its commands wrote to standard output, with the ports that the page names.
   * @throws Error - a command failed, or a server ended.
   */
  async follow(step: Step): Promise<string> {
    if (step.kind === 'file') {
      writeFileSync(join(this.#folder, step.path), this.#withPorts(step.content, 'free'))
      return ''
    }
    const commands = this.#withPorts(step.commands, 'free')
    if (!step.isServer) return this.#withPorts(await this.#shell.type(commands), 'named')
    const shown = this.#withPorts(step.shown ?? '', 'free')
    return this.#withPorts(await outputUntil(this.#start(['-c', commands]), text => isAsShown(text, shown)), 'named')
  }

  /** Ends everything that still runs, and deletes the folder. */
  async end(): Promise<void> {
    for (const child of this.#processes.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    )) {
      const exited = once(child, 'exit')
      // The group, since a shell does not pass signals on.
      process.kill(-child.pid!, 'SIGTERM')
      await exited
    }
    rmSync(this.#outer, { recursive: true, force: true })
  }

  #start(args: readonly string[]): ChildProcess {
    const options = { cwd: this.#folder, env: this.#environment, detached: true } as const
    const child = spawn('bash', args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#processes.push(child)
    return child
  }

  #withPorts(text: string, wanted: 'free' | 'named'): string {
    return [...this.#ports].reduce(
      (changed, [named, free]) =>
        wanted === 'free' ? changed.replaceAll(named, free) : changed.replaceAll(free, named),
      text,
    )
  }
}

/** A shell that says when commands have ended. */
class TypedShell {
  readonly #shell: ChildProcess
  readonly #folder: string

  constructor(shell: ChildProcess, folder: string) {
    this.#shell = shell
    this.#folder = folder
  }

  /** @throws Error - one of the commands failed. */
  async type(commands: string): Promise<string> {
    const [typed, problems] = [join(this.#folder, 'typed'), join(this.#folder, 'problems')]
    writeFileSync(typed, commands)
    this.#shell.stdin?.write(
      `failed=0; trap 'failed=$?' ERR; . '${typed}' </dev/null 2>'${problems}'; printf '\\0%d\\0' $failed\n`,
    )
    const [printed = '', status] = (await outputUntil(this.#shell, text => /\0\d+\0$/.test(text))).split('\0')
    if (status === '0') return printed
    throw new Error(`a command fails with ${status}:\n${commands}\n${printed}${readFileSync(problems, 'utf8')}`)
  }
}

/** Reads the standard output of a process from now on, until it is complete. @throws Error - the process ends before. */
async function outputUntil(child: ChildProcess, isComplete: (text: string) => boolean): Promise<string> {
  let text = ''
  const { promise, resolve: complete, reject } = Promise.withResolvers<string>()
  const onExit = () => reject(new Error(`a process ends after it printed: ${text}`))
  const onData = (data: Buffer) => {
    text += data.toString()
    if (isComplete(text)) complete(text)
  }
  child.stdout?.on('data', onData)
  child.once('exit', onExit)
  try {
    return await promise
  } finally {
    child.stdout?.off('data', onData)
    child.off('exit', onExit)
  }
}

/** Makes `asof` importable in a folder, and `npx asof` a command, from the sources of the clone. */
function installSources(folder: string, tools: string): void {
  const asof = join(folder, 'node_modules/asof')
  mkdirSync(asof, { recursive: true })
  symlinkSync(join(root, 'node_modules/@asof'), join(folder, 'node_modules/@asof'), 'dir')
  symlinkSync(root, join(asof, 'sources'), 'dir')
  const exports = Object.fromEntries(
    Object.entries(packageJson.exports).flatMap(([name, entry]) =>
      typeof entry === 'object' ? [[name, entry.default.replace('/dist/', '/sources/').replace(/\.js$/, '.ts')]] : [],
    ),
  )
  writeFileSync(join(asof, 'package.json'), JSON.stringify({ name: 'asof', type: 'module', exports }))
  const main = join(root, 'transports/cli/main.ts')
  writeFileSync(join(tools, 'npx'), `#!/bin/sh\n[ "$1" = asof ] && shift && exec node '${main}' "$@"\n`, {
    mode: 0o755,
  })
}

async function freePort(): Promise<string> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return String(port)
}
