import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
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

  test('ends when the process that started it is killed', async () => {
    const module = pathToFileURL(`${import.meta.dirname}/postgres.ts`).href
    const program = `import { startPostgres } from '${module}'; console.log((await startPostgres()).pid); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(child.stdout, 'data')
    const pid = Number(line)
    expect(process.kill(pid, 0)).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A process that has ended may still be in the table of processes.
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'utf8'))
}
