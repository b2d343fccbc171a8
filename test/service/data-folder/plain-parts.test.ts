import { execFileSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { examineAccountsOf, openDataFolder, reachDataFolder } from '../../../service/data-folder/index.ts'
import { loadSettings } from '../../../transports/cli/settings/settings.ts'

const root = await mkdtemp(join(tmpdir(), 'asof-plain-parts-'))
afterAll(() => rm(root, { recursive: true }))

const parts = [
  'access',
  'payments',
  'purchases',
  'feedback',
  'proofs',
  'imports',
  'crawl',
  'cluster',
  'asof.json',
  'asof.sock',
]

const kinds = ['link', 'pipe'] as const

/** Creates a data folder that has only a link or a pipe in it. */
async function folderWith(kind: (typeof kinds)[number], name: string): Promise<{ dir: string; part: string }> {
  const dir = await mkdtemp(join(root, 'data-'))
  const part = join(dir, name)
  if (kind === 'link') await symlink(join(root, 'outside'), part)
  else execFileSync('mkfifo', [part])
  return { dir, part }
}

describe.skipIf(process.platform === 'win32')('a data folder with a link or a pipe in it', () => {
  it.each(parts)('is refused before anything is created, if it is %s', async name => {
    for (const kind of kinds) {
      const { dir, part } = await folderWith(kind, name)
      const refused = { code: 'ASOF_STORE_READ', details: { path: part } }
      for (const opening of [openDataFolder, reachDataFolder, examineAccountsOf])
        await expect(opening(dir), opening.name).rejects.toMatchObject(refused)
      expect(await readdir(dir)).toEqual([name])
    }
    expect(await readdir(root)).not.toContain('outside')
  })

  it('is refused when its settings are read, which wait for no pipe', async () => {
    for (const kind of kinds) {
      const { dir } = await folderWith(kind, 'asof.json')
      await expect(loadSettings(dir, {}, {})).rejects.toMatchObject({ code: 'ASOF_STORE_READ' })
    }
  })
})

it('reports accounts whose database is gone, and creates none', async () => {
  const dir = join(root, 'gone')
  await mkdir(join(dir, 'access'), { recursive: true })
  await writeFile(join(dir, 'access', 'notes.txt'), 'mine')
  const examination = await examineAccountsOf(dir)
  expect(examination).toMatchObject({ sound: false, problems: [expect.stringContaining('has no database')] })
  expect(await readdir(join(dir, 'access'))).toEqual(['notes.txt'])
})

it.skipIf(process.geteuid?.() !== 0)('names settings and folders of another user at the start', async () => {
  const dir = join(root, 'foreign')
  await mkdir(join(dir, 'imports'), { recursive: true })
  await writeFile(join(dir, 'asof.json'), '{}')
  for (const name of ['asof.json', 'imports']) await chown(join(dir, name), 4321, 4321)
  const notices: string[] = []
  await (await openDataFolder(dir, { onNotice: line => notices.push(line) })).close()
  for (const name of ['asof.json', 'imports'])
    expect(notices.filter(line => line.startsWith(`${join(dir, name)} belongs to another user (4321)`))).toHaveLength(1)
})
