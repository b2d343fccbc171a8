import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { unprivileged } from './unprivileged.ts'

export const OPENSEARCH_VERSION = '3.6.0'
/** OpenSearch 3 needs this version of Java or a later one. */
const JAVA_VERSION = 21

/** One OpenSearch node of one test, empty at first. */
export interface OpenSearchServer {
  url: string
  /** Process id of the server, for tests that kill it. */
  pid: number
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>
}

/** The folder of an installed OpenSearch, and where {@link installOpenSearch} puts it. */
export function openSearchHome(): string {
  const { ASOF_OPENSEARCH_HOME: named, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } = process.env
  return named || join(caches, 'asof', `opensearch-${OPENSEARCH_VERSION}`)
}

/** The home of a Java that OpenSearch runs on: `OPENSEARCH_JAVA_HOME`, `JAVA_HOME`, or one of Debian's folder of them. */
export function javaHome(): string | undefined {
  const root = '/usr/lib/jvm'
  const installed = existsSync(root) ? readdirSync(root).map(name => join(root, name)) : []
  const named = [process.env.OPENSEARCH_JAVA_HOME, process.env.JAVA_HOME].filter(home => home !== undefined)
  return [...named, ...installed].find(home => javaVersion(home) >= JAVA_VERSION)
}

function javaVersion(home: string): number {
  const release = join(home, 'release')
  if (!existsSync(release)) return 0
  return Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] ?? 0)
}

/** Says why tests that need OpenSearch are skipped; undefined if they can run. */
export function whyNoOpenSearch(): string | undefined {
  if (!existsSync(openSearchHome()))
    return `no OpenSearch in ${openSearchHome()}: run "npm run test:cluster", which installs it, or set ASOF_OPENSEARCH_HOME`
  if (!javaHome()) return `no Java ${JAVA_VERSION} or later for OpenSearch: install one, or set OPENSEARCH_JAVA_HOME`
  return undefined
}

/** Modules that need memory and are of no use here. */
const unused = ['ingest-geoip', 'ingest-user-agent', 'opensearch-dashboards', 'repository-url', 'geo']

/**
 * Installs OpenSearch from Maven Central, or from the mirror that the settings of Maven name. Its smallest distribution, the one for
 * integration tests, has all modules that asof uses. Does nothing if it is there.
 */
export async function installOpenSearch(): Promise<void> {
  const home = openSearchHome()
  if (existsSync(home)) return
  const folder = await mkdtemp(join(tmpdir(), 'asof-opensearch-'))
  try {
    const artifact = `org.opensearch.distribution.integ-test-zip:opensearch:${OPENSEARCH_VERSION}:zip`
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    execFileSync('mvn', ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
      stdio: 'inherit',
    })
    const zip = join(folder, `opensearch-${OPENSEARCH_VERSION}.zip`)
    execFileSync('unzip', ['-q', '-o', zip, '-d', folder], { stdio: 'inherit' })
    const unpacked = join(folder, `opensearch-${OPENSEARCH_VERSION}`)
    for (const name of unused) await rm(join(unpacked, 'modules', name), { recursive: true, force: true })
    await mkdir(join(home, '..'), { recursive: true })
    await cp(unpacked, home, { recursive: true })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Time after which a node that is not ready is given up, milliseconds. A busy machine takes a minute. */
const START_MS = 240_000

/** Starts a cluster of one new, empty node on free ports of loopback, as an unprivileged user. */
export async function startOpenSearch({ heapMb = 512 } = {}): Promise<OpenSearchServer> {
  const why = whyNoOpenSearch()
  if (why) throw new Error(why)
  const folder = await mkdtemp(join(tmpdir(), 'asof-opensearch-'))
  const user = unprivileged()
  // The home may be closed to the unprivileged user, so the node has a copy of it.
  const home = join(folder, 'home')
  await cp(openSearchHome(), home, { recursive: true })
  const [http, transport] = [await freePort(), await freePort()]
  const config = join(home, 'config')
  const options = await readFile(join(config, 'jvm.options'), 'utf8')
  // Relative paths of logs and dumps lead into folders that do not exist.
  const kept = options.split('\n').filter(line => !/gc\.log|HeapDump|ErrorFile/.test(line))
  await writeFile(join(config, 'jvm.options'), kept.join('\n'))
  const settings = {
    'cluster.name': 'asof-test',
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    'network.host': '127.0.0.1',
    'http.port': http,
    'transport.port': transport,
    'discovery.type': 'single-node',
    'cluster.routing.allocation.disk.threshold_enabled': false,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  await writeFile(join(config, 'opensearch.yml'), lines.join(''))
  await mkdir(join(folder, 'tmp'))
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const server = spawn(join(home, 'bin', 'opensearch'), {
    ...user,
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      OPENSEARCH_TMPDIR: join(folder, 'tmp'),
      OPENSEARCH_JAVA_HOME: javaHome(),
      OPENSEARCH_JAVA_OPTS: `-Xms${heapMb}m -Xmx${heapMb}m`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endWithUs = () => server.kill('SIGKILL')
  process.once('exit', endWithUs)
  const ended = once(server, 'exit')
  let log = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (text: Buffer) => {
      log = (log + text.toString()).slice(-10_000)
    })
  const url = `http://127.0.0.1:${http}`
  const giveUpAt = performance.now() + START_MS
  while (!(await isReady(url))) {
    if (server.exitCode !== null || performance.now() > giveUpAt) {
      server.kill('SIGKILL')
      throw new Error(`OpenSearch did not start:\n${log}`)
    }
    await sleep(200)
  }
  return {
    url,
    pid: server.pid!,
    async stop() {
      process.off('exit', endWithUs)
      // Nothing is kept, so the node need not shut down in order.
      server.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`)).ok
  } catch {
    // It does not listen yet.
    return false
  }
}
