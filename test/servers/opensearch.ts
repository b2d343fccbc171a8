import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { javaHome, openSearchHome, whyNoOpenSearch } from './opensearch-install.ts'
import { unprivileged } from './unprivileged.ts'

/** Time after which a node that is not ready is given up, milliseconds. A busy machine takes minutes; the steps of CI have longer limits. */
const START_MS = 420_000

/** One OpenSearch node of one test, empty at first. */
export interface OpenSearchServer {
  url: string
  /** Process id of the server, for tests that kill it. */
  pid: number
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>
}

/** One node of a cluster of a test. Its data stay when it is killed. */
export interface OpenSearchNode {
  url: string
  /** Process id of the node; undefined while it is dead. */
  readonly pid: number | undefined
  /** Kills the node at once, as a loss of power does. */
  kill(): Promise<void>
  /** Starts it again after {@link kill}, and resolves when it answers, whatever the state of the cluster. */
  start(): Promise<void>
}

export interface OpenSearchNodes {
  nodes: OpenSearchNode[]
  /** Resolves when all copies of all shards are there. */
  untilGreen(): Promise<void>
  /** Ends all nodes and deletes their folders. */
  stop(): Promise<void>
}

export interface NodeOptions {
  /** Default 512. */
  heapMb?: number
  /** The address of each node. Default: loopback for all. */
  hosts?: readonly string[]
  /** The words that each command begins with, for a node in a namespace. Default: none. */
  commands?: readonly string[][]
}

/** Starts a cluster of one new, empty node on free ports of loopback, as an unprivileged user. */
export async function startOpenSearch({ heapMb = 512 } = {}): Promise<OpenSearchServer> {
  const { nodes, stop } = await startOpenSearchNodes(1, { heapMb })
  const [node] = nodes
  return { url: node!.url, pid: node!.pid!, stop }
}

/** Starts a cluster of new, empty nodes, as an unprivileged user. */
export async function startOpenSearchNodes(
  count: number,
  { heapMb = 512, hosts = [], commands = [] }: NodeOptions = {},
): Promise<OpenSearchNodes> {
  const why = whyNoOpenSearch()
  if (why) throw new Error(why)
  const folder = await mkdtemp(join(tmpdir(), 'asof-opensearch-'))
  const addresses: { host: string; http: number; transport: number }[] = []
  for (let n = 0; n < count; n++)
    addresses.push({ host: hosts[n] ?? '127.0.0.1', http: await freePort(), transport: await freePort() })
  const discovery =
    count === 1
      ? { 'discovery.type': 'single-node' }
      : {
          'discovery.seed_hosts': addresses.map(({ host, transport }) => `${host}:${transport}`),
          'cluster.initial_cluster_manager_nodes': addresses.map((_, n) => `node${n}`),
          // A node that died is noticed within seconds.
          'cluster.fault_detection.leader_check.timeout': '4s',
          'cluster.fault_detection.follower_check.timeout': '4s',
        }
  const nodes: Node[] = []
  const endWithUs = (): void => {
    for (const node of nodes) node.end()
  }
  process.once('exit', endWithUs)
  const stop = async (): Promise<void> => {
    process.off('exit', endWithUs)
    // Nothing is kept, so the nodes need not shut down in order.
    await Promise.all(nodes.map(node => node.kill()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    for (const [n, { host, http, transport }] of addresses.entries()) {
      const home = join(folder, `node${n}`)
      await prepare(home, {
        'node.name': `node${n}`,
        'network.host': host,
        'http.port': http,
        'transport.port': transport,
        ...discovery,
      })
      nodes.push(new Node(home, `http://${host}:${http}`, { heapMb, command: commands[n] ?? [] }))
    }
    const user = unprivileged()
    if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
    await Promise.all(nodes.map(node => node.start()))
    await nodes[0]!.until('/_cluster/health?wait_for_status=yellow&timeout=1s')
  } catch (error) {
    await stop()
    throw error
  }
  const untilGreen = async (): Promise<void> => {
    const path = `/_cluster/health?wait_for_status=green&wait_for_nodes=${count}&timeout=1s`
    await nodes.find(({ pid }) => pid !== undefined)!.until(path)
  }
  return { nodes, untilGreen, stop }
}

/** Makes the folder of a node: the home may be closed to the unprivileged user, so it has a copy of it. */
async function prepare(folder: string, settings: Record<string, unknown>): Promise<void> {
  await mkdir(join(folder, 'tmp'), { recursive: true })
  const home = join(folder, 'home')
  await cp(openSearchHome(), home, { recursive: true })
  const config = join(home, 'config')
  const options = await readFile(join(config, 'jvm.options'), 'utf8')
  // Relative paths of logs and dumps lead into folders that do not exist.
  const kept = options.split('\n').filter(line => !/gc\.log|HeapDump|ErrorFile/.test(line))
  await writeFile(join(config, 'jvm.options'), kept.join('\n'))
  const all = {
    'cluster.name': 'asof-test',
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    'cluster.routing.allocation.disk.threshold_enabled': false,
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  await writeFile(join(config, 'opensearch.yml'), lines.join(''))
}

class Node implements OpenSearchNode {
  readonly url: string
  readonly #folder: string
  readonly #options: { heapMb: number; command: readonly string[] }
  #server: ChildProcess | undefined
  #log = ''

  constructor(folder: string, url: string, options: { heapMb: number; command: readonly string[] }) {
    this.#folder = folder
    this.url = url
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#server?.pid
  }

  async start(): Promise<void> {
    const { heapMb, command } = this.#options
    const user = unprivileged()
    const drop = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
    const words = [...command, ...drop, join(this.#folder, 'home', 'bin', 'opensearch')]
    const server = spawn(words[0]!, words.slice(1), {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.#folder,
        OPENSEARCH_TMPDIR: join(this.#folder, 'tmp'),
        OPENSEARCH_JAVA_HOME: javaHome(),
        OPENSEARCH_JAVA_OPTS: `-Xms${heapMb}m -Xmx${heapMb}m`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#server = server
    this.#log = ''
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (text: Buffer) => {
        this.#log = (this.#log + text.toString()).slice(-10_000)
      })
    await this.until('/')
  }

  async kill(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  /** Kills the node without waiting, when the test itself ends. */
  end(): void {
    this.#server?.kill('SIGKILL')
  }

  /** Resolves when the node answers a path with success. */
  async until(path: string): Promise<void> {
    const giveUpAt = performance.now() + START_MS
    while (!(await this.#answers(path))) {
      if (!this.#server || this.#server.exitCode !== null || performance.now() > giveUpAt) {
        await this.kill()
        throw new Error(`OpenSearch did not get ready (${path}):\n${this.#log}`)
      }
      await sleep(200)
    }
  }

  async #answers(path: string): Promise<boolean> {
    try {
      return (await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(10_000) })).ok
    } catch {
      // It does not listen yet.
      return false
    }
  }
}
