import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'

const dir = await mkdtemp(join(tmpdir(), 'asof-private-'))
afterAll(() => rm(dir, { recursive: true }))
const permissionsOf = async (path: string) => (await stat(path)).mode & 0o777

describe.skipIf(process.platform === 'win32')('folders that the engine creates', () => {
  it('are accessible to their user alone, for an index and for a backup', async () => {
    const data = join(dir, 'data')
    const copy = join(dir, 'copy')
    const engine = await open(data)
    await engine.backup(copy)
    await engine.close()
    expect(await Promise.all([data, join(data, 'index'), copy].map(permissionsOf))).toEqual([0o700, 0o700, 0o700])
  })
})
