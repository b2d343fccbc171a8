import { readdirSync, readFileSync } from 'node:fs'
import { startOpenSearch } from '../../test/servers/opensearch.ts'
import { startPostgres } from '../../test/servers/postgres.ts'

/** The servers that a cluster is measured on. */
export interface ClusterServers {
  search: string
  database: string
  /** Processor time of both servers so far, seconds; `NaN` for servers that this program did not start. */
  cpuSeconds: () => { search: number; database: number }
  stop: () => Promise<void>
}

/** Clock ticks in a second, which Linux has fixed for programs. */
const TICKS = 100

/** Starts an OpenSearch and a PostgreSQL, or takes those that `ASOF_TEST_OPENSEARCH` and `ASOF_TEST_POSTGRES` name. */
export async function clusterServers(heapMb: number): Promise<ClusterServers> {
  const { ASOF_TEST_OPENSEARCH: search, ASOF_TEST_POSTGRES: database } = process.env
  if (search && database) {
    const unknown = { search: Number.NaN, database: Number.NaN }
    return { search, database, cpuSeconds: () => unknown, stop: async () => {} }
  }
  const postgres = await startPostgres('max_connections=200', 'shared_buffers=512MB')
  const node = await startOpenSearch({ heapMb })
  return {
    search: node.url,
    database: postgres.url,
    cpuSeconds: () => ({ search: secondsOf(node.pid), database: secondsOf(postgres.pid) }),
    stop: async () => {
      await node.stop()
      await postgres.stop()
    },
  }
}

/** The processor time of a process and its children, also of those that have ended; `NaN` without `/proc`. */
function secondsOf(pid: number): number {
  try {
    const own = statOf(pid)
    const children = readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(name => childOf(Number(name), pid))
    return [own, ...children].reduce((sum, { ticks }) => sum + ticks, 0) / TICKS
  } catch {
    return Number.NaN
  }
}

function childOf(pid: number, parent: number): Stat[] {
  try {
    const stat = statOf(pid)
    return stat.parent === parent ? [stat] : []
  } catch {
    // The process ended meanwhile.
    return []
  }
}

interface Stat {
  parent: number
  ticks: number
}

function statOf(pid: number): Stat {
  // The name of the program, which may contain spaces, ends with the last parenthesis.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
  return { parent: Number(fields[1]), ticks: user! + system! + endedUser! + endedSystem! }
}
