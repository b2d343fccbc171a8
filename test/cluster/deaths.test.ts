import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { openCluster } from '../../cluster/index.ts'
import { isAsofError, open } from '../../core/index.ts'
import { type OpenSearchNodes, startOpenSearchNodes } from '../servers/opensearch.ts'
import { startPostgres } from '../servers/postgres.ts'
import { additionOf, queries, URLS, urlOf } from './death-script.ts'
import { SameHistory } from './same-history.ts'
import { newName } from './test-cluster.ts'

/** Number of processes that are killed. 0 skips the test, which needs three nodes of OpenSearch and several minutes. */
const deaths = Number(process.env.ASOF_TEST_DEATHS ?? 0)
const urls = Array.from({ length: URLS }, (_, n) => urlOf(n))

interface Answer {
  query: string
  instant: number
  captures: number
  results: unknown[]
}

/** A process of this test that is started again whenever it is killed. */
class Victim {
  readonly #start: () => { script: string; args: string[] }
  readonly #read: (line: string) => void
  #process: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(start: () => { script: string; args: string[] }, read: (line: string) => void) {
    this.#start = start
    this.#read = read
  }

  start(): void {
    const { script, args } = this.#start()
    const started = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process = started
    const lines = createInterface({ input: started.stdout })
    lines.on('line', line => this.#read(String(line)))
    this.#ended = Promise.all([once(started, 'exit'), once(lines, 'close')]).then(([[code, signal]]) => {
      if (signal !== 'SIGKILL') throw new Error(`${script} ended by itself with ${code ?? signal}`)
    })
    // Its end is looked at when it is killed.
    this.#ended.catch(() => {})
  }

  /** Resolves when all that it wrote was read. Fails if it had ended by itself. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#ended
  }
}

/** Repeats what fails with a typed error, because something is dead. */
async function whenPossible<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + 600_000
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!isAsofError(error) || performance.now() > giveUpAt) throw error
      await sleep(200)
    }
}

describe.skipIf(deaths === 0)('a cluster whose processes are killed', () => {
  it('loses nothing that was acknowledged, and gives no wrong answer, while it writes and searches', async () => {
    // A node that runs already is not killed.
    const { ASOF_TEST_OPENSEARCH: running } = process.env
    const [nodes, database] = await Promise.all([
      running ? undefined : startOpenSearchNodes(3),
      startPostgres('max_connections=200'),
    ])
    const folder = await mkdtemp(join(tmpdir(), 'asof-deaths-'))
    const local = await open(folder, { searchThreads: 0 })
    const startAt = Date.now()
    const search = nodes ? nodes.nodes.map(({ url }) => url) : running!
    const options = { search, database: database.url, name: newName(), shards: 2, replicas: nodes ? 1 : 0 }
    const cluster = await openCluster(options)
    const same = new SameHistory(cluster, local)
    const errors = new Map<string, number>()
    const count = (code: string): void => void errors.set(code, (errors.get(code) ?? 0) + 1)

    const acknowledged: string[] = []
    const writers = ['a', 'b'].map(name => {
      let next = 0
      return new Victim(
        () => ({ script: 'death-writer.ts', args: [JSON.stringify(options), name, String(next)] }),
        line => {
          const [word, value] = line.split(' ')
          if (word === 'error') count(`writer ${value}`)
          if (word !== 'done') return
          next = Number(value) + 1
          acknowledged.push(...additionOf(name, Number(value)).map(({ text }) => String(text)))
        },
      )
    })
    const answers: Answer[] = []
    const searchers = [0, 1].map(
      () =>
        new Victim(
          () => ({ script: 'death-searcher.ts', args: [JSON.stringify(options), String(startAt)] }),
          line => {
            // The last line of a process that was killed may be half a line.
            if (!line.endsWith('}')) return
            const answer = JSON.parse(line) as Answer & { open?: true; error?: string }
            if (answer.error) count(`searcher ${answer.error}`)
            else if (!answer.open) answers.push(answer)
          },
        ),
    )
    const killed = { writers: 0, searchers: 0, nodes: 0, database: 0, connections: 0 }
    let checked = 0

    /** Expects that all that was acknowledged is there, and that all answers so far were right. */
    const check = async (): Promise<void> => {
      const [due, given] = [acknowledged.slice(), answers.splice(0)]
      const { receipt } = await whenPossible(() => cluster.search('river'))
      const latest = Math.max(receipt.instant, ...given.map(({ instant }) => instant))
      await whenPossible(() => same.follow(urls, latest))
      for (const text of due) expect(same.texts).toContain(text)
      for (const { query, instant, captures, results } of given) {
        const expected = await local.search(query, { queryTime: instant })
        expect(results).toEqual(JSON.parse(JSON.stringify(expected.results)))
        expect(captures).toBe(expected.receipt.captures)
      }
      checked += given.length
      for (const query of queries) {
        const expected = await local.search(query, { queryTime: latest })
        const { results } = await whenPossible(() => cluster.search(query, { queryTime: latest }))
        expect(results).toEqual(expected.results)
      }
    }

    let recovering: Promise<void> | undefined
    const killNode = async ({ nodes, untilGreen }: OpenSearchNodes, n: number): Promise<void> => {
      const node = nodes[n % 3]!
      await node.kill()
      killed.nodes++
      recovering = (async () => {
        await node.start()
        await untilGreen()
        recovering = undefined
      })()
      recovering.catch(() => {})
    }
    const killConnection = async (): Promise<void> => {
      const sql = postgres(database.url, { onnotice: () => {}, max: 1 })
      try {
        const [one] = await sql<[{ pid: number }?]>`
          select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
          order by random() limit 1`
        if (!one) return
        process.kill(one.pid, 'SIGKILL')
        killed.connections++
      } finally {
        await sql.end()
      }
    }
    try {
      for (const victim of [...writers, ...searchers]) victim.start()
      for (let death = 0; death < deaths; death++) {
        await sleep(Math.random() * 1500)
        const kind = death % 10
        if (kind === 7 && nodes && !recovering) await killNode(nodes, death)
        else if (kind === 3) {
          await database.kill()
          killed.database++
          await database.start()
        } else if (kind >= 5 && kind <= 7) await killConnection()
        else {
          const isWriter = kind % 2 === 0
          const victim = (isWriter ? writers : searchers)[death % 3 === 0 ? 0 : 1]!
          await victim.kill()
          killed[isWriter ? 'writers' : 'searchers']++
          victim.start()
        }
        await check()
      }
      await recovering
      for (const victim of [...writers, ...searchers]) await victim.kill()
      await check()
      const all = Object.values(killed).reduce((sum, one) => sum + one, 0)
      console.log(`${all} kills:`, killed, `${acknowledged.length} captures acknowledged, ${checked} answers right`)
      console.log('refusals:', Object.fromEntries(errors), 'proofs of the last engine:', cluster.proofs)
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(checked).toBeGreaterThan(0)
    } finally {
      for (const victim of [...writers, ...searchers]) await victim.kill().catch(() => {})
      await cluster.close()
      await local.close()
      await Promise.all([nodes?.stop(), database.stop(), rm(folder, { recursive: true })])
    }
  }, 14_400_000)
})
