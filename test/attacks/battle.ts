import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { open } from '../../core/index.ts'
import { RunningCommand, serve } from '../system/running-command.ts'
import type { Attack } from './attack.ts'
import { beHonest, type Experience, type Kind } from './honest-clients.ts'
import { startHostileSite } from './hostile-site.ts'
import { memoryOf } from './process-memory.ts'

/** The trusted proxy through which some attackers call. */
const PROXY = '127.0.3.1'

const ADMIN_TOKEN = 'token-of-careless-programs'

const WARMING_MS = 5_000

export interface Outcome {
  /** For each attack by its name, how often each status was received. 0 is a closed connection. */
  attempts: Map<string, Map<number, number>>
  honest: Record<Kind, Experience>
  /** True if the same server process still answered at the end. */
  alive: boolean
  /** What attacks achieved that no attack may achieve, in words. */
  breaches: Set<string>
  /** Exit codes of the crawls of the hostile site. */
  crawls: (number | null)[]
  /** Maximum memory of the server alone and with its child processes, bytes. */
  memory: { own: number; withChildren: number }
}

async function fillIndex(dir: string, pages: number): Promise<void> {
  const engine = await open(dir)
  const words = (seed: number, count: number) =>
    Array.from({ length: count }, (_, i) => `w${(seed * 31 + i * i * 7 + i) % 1_000}`).join(' ')
  const captures = Array.from({ length: pages }, (_, i) => ({
    url: `https://page${i}.example/`,
    text: words(i, 300),
    fields: { id: `id-${i}`, size: i },
  }))
  for (let at = 0; at < captures.length; at += 1_000) await engine.add(captures.slice(at, at + 1_000))
  await engine.add([{ url: 'https://large.example/', text: words(1, 200_000) }])
  // About 19 MB each.
  for (let i = 0; i < 4; i++)
    await engine.add([
      { url: `https://large${i}.example/`, title: `titleword ${i}`, text: `${words(i, 4_000_000)} theend` },
    ])
  await engine.close()
}

/** Crawls the hostile site repeatedly, each time into a new folder, until the signal is aborted. */
async function crawlOn(site: string, dir: string, signal: AbortSignal): Promise<(number | null)[]> {
  const codes: (number | null)[] = []
  for (let turn = 0; !signal.aborted; turn += 1) {
    const flags = ['--data', path.join(dir, `crawl-${turn}`), '--allow-private', '--max-pages', '8', '--delay-ms', '0']
    const command = new RunningCommand(['crawl', `${site}/`, ...flags])
    const stop = () => command.signal('SIGTERM')
    signal.addEventListener('abort', stop)
    const { code } = await command.finished
    signal.removeEventListener('abort', stop)
    codes.push(code)
  }
  return codes
}

/** Runs attacks concurrently against one server and one crawler, together with honest clients. */
export async function battle(
  attacks: readonly Attack[],
  { milliseconds, pages = 2_000 }: { milliseconds: number; pages?: number },
): Promise<Outcome> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-attacks-'))
  const data = path.join(dir, 'data')
  const site = await startHostileSite()
  try {
    await fillIndex(data, pages)
    const { command, url } = await serve(data, ['--allow-private', '--trust-proxy', PROXY], {
      ASOF_LOG_LEVEL: 'silent',
      ASOF_ADMIN_TOKEN: ADMIN_TOKEN,
    })
    // Attacks meet a server that has answered before, whose code is compiled and whose threads and processes have started.
    await beHonest(url, site.url, AbortSignal.timeout(WARMING_MS))
    const signal = AbortSignal.timeout(milliseconds)
    const attempts = new Map(attacks.map(({ name }) => [name, new Map<number, number>()]))
    const memory = { own: 0, withChildren: 0 }
    const breaches = new Set<string>()
    const breach = (what: string) => breaches.add(what)
    const watch = setInterval(() => {
      const now = memoryOf(command.child.pid!)
      memory.own = Math.max(memory.own, now.own)
      memory.withChildren = Math.max(memory.withChildren, now.withChildren)
    }, 500)
    const [honest, crawls] = await Promise.all([
      beHonest(url, site.url, signal),
      crawlOn(site.url, dir, signal),
      ...attacks.map(({ name, run }, i) => {
        const counts = attempts.get(name)!
        const note = (status: number) => {
          // An attempt that the end of the test interrupted is not counted.
          if (!signal.aborted) counts.set(status, (counts.get(status) ?? 0) + 1)
        }
        const addresses = { localAddress: `127.0.2.${i + 1}`, proxyAddress: PROXY }
        const means = { adminToken: ADMIN_TOKEN, dir: path.join(dir, `attack-${i}`) }
        return run({ url, site: site.url, ...addresses, ...means, signal, note, breach })
      }),
    ])
    clearInterval(watch)
    const health = await fetch(`${url}/healthz`).then(
      response => response.status,
      () => 0,
    )
    const alive = health === 200 && command.child.exitCode === null
    command.signal('SIGTERM')
    await command.finished
    return { attempts, honest, alive, breaches, crawls, memory }
  } finally {
    await site.close()
    await rm(dir, { recursive: true, force: true })
  }
}
