import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A program that runs on the machine, and what it printed so far. */
export interface Started {
  process: ChildProcess
  output: () => string
  ended: Promise<number | null>
}

/**
 * A copy of this machine in which a check may install, write and start what it likes: an overlay over the root folder. It
 * exists in the mount namespace of this process alone, see `run.ts`.
 */
export class Machine {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  /** The machine that another process made, in whose mount namespace this process is. */
  static at(root: string): Machine {
    return new Machine(root)
  }

  /** @param folder - an empty folder. What is written to the machine is kept in memory. */
  static async over(folder: string): Promise<Machine> {
    await shell(`mount -t tmpfs overlay ${folder}`)
    for (const part of ['written', 'work', 'root']) mkdirSync(join(folder, part))
    const root = join(folder, 'root')
    await shell(
      `mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/written,workdir=${folder}/work ${root} &&
      for at in /proc /dev /sys; do mount --rbind $at ${root}$at; done && mount -t tmpfs -o mode=1777 tmp ${root}/tmp`,
    )
    return new Machine(root)
  }

  /** The path of a file of the machine, outside of it. */
  path(inside: string): string {
    return join(this.root, inside)
  }

  /** Runs a shell command as root until it ends. @returns its output. */
  run(command: string, env: Record<string, string> = {}): Promise<string> {
    return shell(`exec /usr/sbin/chroot ${this.root} /bin/sh -c "$COMMAND"`, { ...env, COMMAND: command })
  }

  /** Starts a shell command as root, with mounts of its own. */
  start(command: string, env: Record<string, string> = {}): Started {
    // A root of its own, which the command may mount again, with everything below it.
    const own = `mount --rbind ${this.root} ${this.root} && exec /usr/sbin/chroot ${this.root} /bin/sh -c "$COMMAND"`
    const child = spawn('unshare', ['--mount', '--propagation', 'private', '/bin/sh', '-c', own], {
      env: { ...baseEnvironment, ...env, COMMAND: command },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
    return { process: child, output: () => output, ended }
  }
}

const baseEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/root' }

async function shell(command: string, env: Record<string, string> = {}): Promise<string> {
  const options = { env: { ...baseEnvironment, ...env }, maxBuffer: 2 ** 26 }
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], options)
  return stdout
}
