import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-accounts-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

/** Runs a command with `--json`, and returns the document that it prints. */
async function run(...args: string[]): Promise<unknown> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', join(dir, 'data'), '--json'], { from: 'user' })
  return JSON.parse(output.stdout)
}

describe('commands for accounts', () => {
  it('take the fields of an act as flags and arguments, with its defaults', async () => {
    const { id } = (await run('org', 'create', 'Acme', '--zdr', '--rate-limit', '7')) as { id: string }
    const org = { id, name: 'Acme', zdr: true, wizards: false, rate_limit: 7, allowance: 1_000 }
    expect(await run('org', 'list')).toMatchObject([org])
    expect(await run('credits', 'add', '5', '--org', id)).toEqual({ balance: 5 })
    await expect(run('org', 'list', '--limit', '0')).rejects.toThrow('limit')
  })

  it('list the plans of a file', async () => {
    await run('org', 'create', 'Acme')
    const file = join(dir, 'plans.json')
    const plan = { id: 'tiny', title: '10 calls', kind: 'pack', services: ['search'], units: 10, price_usd: '1.00' }
    await writeFile(file, JSON.stringify({ plans: [plan] }))
    expect(await run('plan', 'list', '--plans-file', file)).toMatchObject([{ id: 'tiny', units: 10 }])
  })
})
