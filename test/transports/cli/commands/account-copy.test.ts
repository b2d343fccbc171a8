import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../../core/index.ts'
import { Access } from '../../../../service/accounts/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'
import { addCustomer } from '../../../service/accounts/accounts.ts'
import { useCommandOutput } from '../command-output.ts'

describe('asof account copy', () => {
  let dir: string
  const output = useCommandOutput()
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-share-'))
    await (await open(dir)).close()
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(dir, { recursive: true, force: true })
  })

  const run = (...args: string[]) => buildProgram().parseAsync(['node', 'asof', ...args, '--data', dir])

  it('says which setting is missing', async () => {
    await expect(run('account', 'copy')).rejects.toThrow('ASOF_DATABASE')
  })

  it.skipIf(noDatabase)('copies the accounts once, and asof doctor adds them up there', async () => {
    const test: TestDatabase = await createTestDatabase()
    try {
      vi.stubEnv('ASOF_DATABASE', test.url)
      const access = await Access.open(path.join(dir, 'access'), { now: Date.now })
      await addCustomer(access, { credits: 5 })
      await access.close()
      await run('account', 'copy', '--json')
      const { found, added } = JSON.parse(output.stdout)
      expect(added).toBe(found)
      output.stdout = ''
      await run('account', 'copy')
      expect(output.stdout).toContain(`all ${found} records`)
      expect(output.stdout).toContain('; 0 of them are new')
      output.stdout = ''
      await run('doctor')
      expect(output.stdout).toContain('the accounts are sound')
    } finally {
      await test.stop()
    }
  })
})
