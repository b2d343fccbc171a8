import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { NO_POSTGRES, postgresBin, startPostgres } from './postgres.ts'

if (!postgresBin()) console.warn(`test/servers: ${NO_POSTGRES}`)

describe.skipIf(!postgresBin())('a PostgreSQL server of a test', () => {
  test('starts empty on loopback, and two do not meet', async () => {
    const servers = await Promise.all([startPostgres(), startPostgres('max_connections=7')])
    const [first, second] = servers.map(({ url }) => postgres(url, { onnotice: () => {} }))
    await first!`create table only_here (id int primary key)`
    expect(await second!`select to_regclass('only_here') as found`).toEqual([{ found: null }])
    expect(await second!`show max_connections`).toEqual([{ max_connections: '7' }])
    await Promise.all([first!.end(), second!.end()])
    await Promise.all(servers.map(server => server.stop()))
    for (const { pid } of servers) expect(() => process.kill(pid, 0)).toThrow()
  })
})
