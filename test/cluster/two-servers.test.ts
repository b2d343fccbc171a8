import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SharedDatabase } from '../../database/index.ts'
import { Access, examineSharedAccounts } from '../../service/accounts/index.ts'
import { addCustomer, type Customer, type CustomerSettings, usageOf } from '../service/accounts/accounts.ts'
import { endCommands, run, serve, temporaryFolder } from '../system/running-command.ts'
import { newName, servers } from './test-cluster.ts'

/** One process of `asof serve`, with a data folder of its own. */
interface Server {
  url: string
  data: string
}

interface Found {
  status: number
  results: { url: string }[]
}

describe.skipIf(!servers)('two processes of asof serve on one OpenSearch and one PostgreSQL', () => {
  const name = newName()
  const running: Server[] = []
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let sql: postgres.Sql
  let env: Record<string, string>
  let database: SharedDatabase
  let access: Access
  beforeAll(async () => {
    folder = await temporaryFolder()
    sql = postgres(servers!.database, { max: 1, onnotice: () => {} })
    // The schema of the accounts has one name, so these servers have a database of their own.
    await sql`create database ${sql(name)}`
    const url = new URL(servers!.database)
    url.pathname = `/${name}`
    env = {
      ASOF_CLUSTER: 'on',
      ASOF_CLUSTER_SEARCH: [servers!.search].flat().join(','),
      ASOF_CLUSTER_DATABASE: url.href,
      ASOF_CLUSTER_NAME: name,
      ASOF_DATABASE: url.href,
    }
    await Promise.all(
      ['one', 'other'].map(async which => {
        const data = path.join(folder.dir, which)
        running.push({ ...(await serve(data, [], env)), data })
      }),
    )
    // A third process, which administers.
    database = await SharedDatabase.open(url.href, { schema: 'asof_service', what: 'the test' })
    access = await Access.connect(database, { now: Date.now })
  })
  afterAll(async () => {
    await endCommands()
    await access.close()
    await database.close()
    await sql`drop database ${sql(name)} with (force)`
    await sql.end()
    await fetch(`${[servers!.search].flat()[0]}/${name}`, { method: 'DELETE' })
    await folder.remove()
  })

  const customer = (settings: CustomerSettings = {}) => addCustomer(access, { rate_limit: 1_000, ...settings })
  const search = async ({ url }: Server, { key }: Pick<Customer, 'key'>, query: string): Promise<Found> => {
    const answer = await fetch(`${url}/v1/search?query=${query}`, { headers: { 'X-API-Key': key } })
    const { results = [] } = (await answer.json()) as Partial<Found>
    return { status: answer.status, results }
  }
  /** Runs a command on the data folder of a server: the server does its work. */
  const command = async ({ data }: Server, ...args: string[]) => {
    const { code, stderr } = await run([...args, '--data', data], env)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  }
  const addPages = async (server: Server, pages: object[]) => {
    const file = path.join(folder.dir, 'pages.jsonl')
    await writeFile(file, pages.map(page => `${JSON.stringify(page)}\n`).join(''))
    await command(server, 'import', file)
  }

  it('take a key that was made by either of them', async () => {
    for (const [maker, user] of [running, running.toReversed()]) {
      const made = async (...args: string[]) => {
        const { stdout, stderr } = await run([...args, '--json', '--data', maker!.data], env)
        expect(stderr).toBe('')
        return JSON.parse(stdout) as { id: string; key: string }
      }
      const org = await made('org', 'create', 'Acme')
      const workspace = await made('workspace', 'create', 'Main', '--org', org.id)
      const key = await made('key', 'create', '--workspace', workspace.id)
      expect((await search(user!, key, 'tea')).status).toBe(200)
    }
  })

  it('find a page that was added on the other one, and no longer when it was purged there', async () => {
    const reader = await customer()
    const [one, other] = running as [Server, Server]
    await addPages(one, [{ url: 'https://example.com/kelp', title: 'Kelp', text: 'Kelp grows in cold water.' }])
    for (const server of [other, one])
      expect((await search(server, reader, 'kelp')).results.map(({ url }) => url)).toEqual(['https://example.com/kelp'])
    await command(other, 'purge', 'https://example.com/kelp')
    for (const server of [one, other]) expect((await search(server, reader, 'kelp')).results).toEqual([])
  })

  it('give the same answers', async () => {
    const reader = await customer()
    const words = ['reef', 'tide', 'harbor', 'sand', 'gull']
    await addPages(
      running[0]!,
      Array.from({ length: 40 }, (_, n) => ({
        url: `https://example.com/sea/${n}`,
        title: `Sea ${words[n % 5]}`,
        text: `${words[(n * 3) % 5]} ${words[(n * 7 + 1) % 5]} by the shore ${n % 9}`,
      })),
    )
    for (const query of [...words, 'reef+tide', 'sand+gull+shore', 'harbor+-reef']) {
      const [one, other] = await Promise.all(running.map(server => search(server, reader, query)))
      expect(one!.results.length).toBeGreaterThan(0)
      expect(other).toEqual(one)
    }
  })

  it('spend the credits of an organization exactly, though calls reach both at once', async () => {
    const credits = 30
    const buyer = await customer({ credits, allowance: 0 })
    const calls = Array.from({ length: 3 * credits }, (_, n) => search(running[n % 2]!, buyer, 'tea'))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(credits)
    expect(new Set(statuses)).toEqual(new Set([200, 402]))
    expect(await usageOf(access, buyer.org)).toMatchObject({ balance: 0, credits_charged: credits })
    expect(await examineSharedAccounts(database)).toMatchObject({ sound: true })
  })

  it('count the calls of a key together', async () => {
    // Servers that counted alone would answer each first call of a new key. A pair of calls can be more than a second apart.
    await expect
      .poll(async () => {
        const hasty = await customer({ rate_limit: 1 })
        return (await Promise.all(running.map(server => search(server, hasty, 'tea')))).map(({ status }) => status)
      })
      .toSatisfy((statuses: number[]) => statuses.toSorted().join() === '200,429')
  })
})
