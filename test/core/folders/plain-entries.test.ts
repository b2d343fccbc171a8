import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPlain, readPlainFile } from '../../../core/folders/plain-entries.ts'
import { examine, open, repair, upgrade } from '../../../core/index.ts'

const root = await mkdtemp(join(tmpdir(), 'asof-plain-'))
const sound = join(root, 'sound')
const outside = join(root, 'outside')
const others = join(root, 'others')
let folders = 0

beforeAll(async () => {
  await mkdir(others)
  await writeFile(join(others, 'notes.txt'), 'mine')
  const engine = await open(sound)
  await engine.add([{ url: 'https://a.example/', text: 'a page' }])
  await engine.close()
})
afterAll(() => rm(root, { recursive: true }))

const pipeAt = (path: string) => execFileSync('mkfifo', [path])

/** Returns a copy of a data folder in which a part was replaced. */
async function folderWith(part: string, place: (path: string) => unknown): Promise<string> {
  const dir = join(root, String(folders++))
  await cp(sound, dir, { recursive: true })
  await rm(join(dir, part), { recursive: true, force: true })
  await place(join(dir, part))
  return dir
}

const everything = async () => (await readdir(root, { recursive: true })).sort()

/** What opens the index of a folder. */
const openings: Record<string, (dir: string) => Promise<unknown>> = {
  open: dir => open(dir),
  'open without create': dir => open(dir, { create: false }),
  examine,
  repair,
  upgrade,
}

describe.skipIf(process.platform === 'win32')('an index that is no folder of plain files', () => {
  it.each([
    ['index', 'a link to a folder that does not exist', (path: string) => symlink(outside, path)],
    ['index', 'a link to a sound index', (path: string) => symlink(join(sound, 'index'), path)],
    ['index', 'a link to a folder with other files', (path: string) => symlink(others, path)],
    ['index', 'a pipe', pipeAt],
    ['index', 'a file', (path: string) => writeFile(path, 'not an index')],
    ['index/LOCK', 'a link', (path: string) => symlink(outside, path)],
    ['index/reserve.tmp', 'a link', (path: string) => symlink(outside, path)],
    ['index/ACKNOWLEDGED', 'a link', (path: string) => symlink(outside, path)],
    ['index/CURRENT', 'a pipe', pipeAt],
    ['index/TABLES', 'a pipe', pipeAt],
    ['index.repairing', 'a link', (path: string) => symlink(outside, path)],
  ])('%s as %s is refused by every opening, which creates nothing', async (part, _, place) => {
    const dir = await folderWith(part, place)
    const before = await everything()
    for (const [name, opening] of Object.entries(openings))
      await expect(opening(dir), name).rejects.toMatchObject({
        code: 'ASOF_STORE_READ',
        retryable: false,
        message: expect.stringContaining(join(dir, part)),
        details: { path: join(dir, part) },
      })
    expect(await everything()).toEqual(before)
  })
})

describe('an examination', () => {
  it('creates nothing where there is no data folder, no index, or a folder that has none', async () => {
    const [missing, empty, other] = ['missing', 'empty', 'other'].map(name => join(root, name)) as [
      string,
      string,
      string,
    ]
    await mkdir(join(other, 'index'), { recursive: true })
    await writeFile(join(other, 'index', 'notes.txt'), 'mine')
    await mkdir(join(empty, 'index'), { recursive: true })
    const before = await everything()
    for (const dir of [missing, empty, other])
      for (const opening of [examine, repair, upgrade, (given: string) => open(given, { create: false })])
        await expect(opening(dir), dir).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
    expect(await everything()).toEqual(before)
  })

  it('creates no database in what a crash left of its creation', async () => {
    const dir = join(root, 'begun')
    await mkdir(join(dir, 'index'), { recursive: true })
    await cp(join(sound, 'index', 'LOG'), join(dir, 'index', 'MANIFEST-000001'))
    await expect(examine(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
    expect(await readdir(join(dir, 'index'))).toEqual(['MANIFEST-000001'])
  })

  it('follows a link to the data folder itself', async () => {
    await symlink(sound, join(root, 'link'))
    expect(await examine(join(root, 'link'))).toMatchObject({ sound: true, captures: 1 })
  })
})

describe.skipIf(process.platform === 'win32')('a part of a data folder', () => {
  it('may be missing, also where its folder is a file', async () => {
    await writeFile(join(root, 'file'), '')
    await expectPlain(join(root, 'nothing'), 'folder')
    await expectPlain(join(root, 'file', 'inside'), 'file')
    expect(await readPlainFile(join(root, 'nothing'))).toBeUndefined()
  })

  it('is refused with a link at any depth, and with a name that says where', async () => {
    const deep = join(root, 'deep', ...Array.from({ length: 300 }, () => 'd'))
    await mkdir(deep, { recursive: true })
    await expectPlain(join(root, 'deep'), 'folder')
    await symlink(outside, join(deep, 'link'))
    await expect(expectPlain(join(root, 'deep'), 'folder')).rejects.toMatchObject({
      details: { path: join(deep, 'link'), found: 'symbolic link' },
    })
  })

  it('is read as text, but not through a link or from a pipe', async () => {
    const [file, link, pipe] = ['text', 'to-text', 'pipe'].map(name => join(root, name)) as [string, string, string]
    await writeFile(file, 'grüß')
    await symlink(file, link)
    pipeAt(pipe)
    expect(await readPlainFile(file)).toBe('grüß')
    for (const path of [link, pipe, sound])
      await expect(readPlainFile(path), path).rejects.toMatchObject({ code: 'ASOF_STORE_READ', details: { path } })
    expect(await readFile(file, 'utf8')).toBe('grüß')
  })
})
