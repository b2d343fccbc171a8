import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
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
    for (const index of [data, copy].map(folder => join(folder, 'index')))
      for (const name of await readdir(index)) expect(await permissionsOf(join(index, name)), name).toBe(0o600)
  })

  it('are closed again also inside a closed folder', async () => {
    const data = join(dir, 'inside')
    await (await open(data)).close()
    const table = join(data, 'index', 'CURRENT')
    await chmod(table, 0o666)
    await (await open(data)).close()
    expect(await permissionsOf(table)).toBe(0o600)
  })

  it.skipIf(process.geteuid?.() !== 0)('are named at the start if they belong to another user', async () => {
    const data = join(dir, 'foreign')
    await (await open(data)).close()
    const started = async () => {
      const warnings: string[] = []
      await (await open(data, { onWarning: ({ message }) => warnings.push(message) })).close()
      return warnings
    }
    expect(await started()).toEqual([])
    await chown(join(data, 'index', 'LOCK'), 4321, 4321)
    expect(await started()).toEqual([
      expect.stringContaining(`${join(data, 'index', 'LOCK')} belongs to another user (4321)`),
    ])
    await chown(join(data, 'index'), 4321, 4321)
    expect(await started()).toEqual([expect.stringContaining(`${join(data, 'index')} belongs to another user (4321)`)])
  })

  it('are closed again when they were opened to others, without touching other files', async () => {
    const data = join(dir, 'opened')
    await (await open(data)).close()
    const [index, inside] = [join(data, 'index'), join(data, 'index', 'a file')]
    const [outside, other] = [join(dir, 'outside'), join(data, 'other.txt')]
    for (const file of [inside, outside, other]) await writeFile(file, 'not of the index')
    for (const [path, mode] of [
      ...([data, index].map(folder => [folder, 0o755]) as [string, number][]),
      ...([inside, outside, other].map(file => [file, 0o644]) as [string, number][]),
    ])
      await chmod(path, mode)
    const warnings: string[] = []
    await (await open(data, { onWarning: ({ message }) => warnings.push(message) })).close()
    expect(await Promise.all([data, index].map(permissionsOf))).toEqual([0o700, 0o700])
    expect(await permissionsOf(inside)).toBe(0o600)
    expect(await Promise.all([outside, other].map(permissionsOf))).toEqual([0o644, 0o644])
    expect(warnings).toEqual([])
  })

  it('stay open with a warning where users share the data folder, and the index in it is closed', async () => {
    const data = join(dir, 'shared')
    await mkdir(join(data, 'index'), { recursive: true })
    await chmod(join(data, 'index'), 0o755)
    await chmod(data, 0o1777)
    const warnings: string[] = []
    await (await open(data, { onWarning: ({ message }) => warnings.push(message) })).close()
    expect(warnings).toEqual([expect.stringContaining(`${data} is open to other users`)])
    expect(await Promise.all([data, join(data, 'index')].map(permissionsOf))).toEqual([0o777, 0o700])
  })
})
