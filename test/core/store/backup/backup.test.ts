import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../../../core/index.ts'
import type { MergePolicy } from '../../../../core/merge/merge-policy.ts'

const START_AT = Date.UTC(2024, 0, 1)

let dir: string
let target: string
let clock: number
const opened: Engine[] = []

const opening = async (folder: string, mergePolicy?: MergePolicy): Promise<Engine> => {
  const engine = await open(folder, { now: () => clock, searchThreads: 0, mergePolicy })
  opened.push(engine)
  return engine
}

beforeEach(async () => {
  clock = START_AT
  const made = await mkdtemp(join(tmpdir(), 'asof-backup-'))
  dir = join(made, 'data')
  target = join(made, 'copies', 'one')
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
  await rm(join(dir, '..'), { recursive: true })
})

const captures = (from: number, to: number, word: string) =>
  Array.from({ length: to - from }, (_, i) => ({
    url: `https://example.com/${from + i}`,
    aliases: [`https://example.com/alias/${from + i}`],
    title: `Page ${from + i}`,
    text: `${word} of page ${from + i}. ${'Some more words to be copied. '.repeat(5)}`,
  }))

/** Merges all segments into one whenever there are several. */
const mergeAll: MergePolicy = segments => (segments.length > 1 ? segments.map(({ id }) => id) : [])

/** Returns answers and pages as of an instant, without what depends on the division into segments. */
async function state(engine: Engine, queryTime: number): Promise<unknown[]> {
  const said: unknown[] = []
  for (const query of ['first', 'second', '"of page 7"', 'words copied -second', 'https://example.com/alias/12']) {
    const options: SearchOptions = { queryTime, maxResults: 1000 }
    const { results, receipt } = await engine.search(query, options)
    said.push(results, receipt.captures, receipt.declared)
  }
  for (let i = 0; i < 40; i++) {
    const page = await engine.page(`https://example.com/${i}`, { queryTime })
    // A page may have been superseded after the instant.
    said.push({ ...page, supersededAt: undefined })
  }
  return said
}

describe('a backup', () => {
  it('answers exactly as the index did when the backup began, whatever was written, merged and purged meanwhile', async () => {
    const engine = await opening(dir, mergeAll)
    for (let batch = 0; batch < 20; batch++) {
      clock += 1000
      await engine.add(captures(batch * 20, batch * 20 + 20, 'first'))
    }
    await engine.remove('https://example.com/3')
    await engine.purge('https://example.com/4')
    clock += 1000
    let isDone = false
    let isTaken = false
    const onProgress = (): void => {
      isTaken = true
    }
    const made = engine.backup(target, { onProgress }).finally(() => {
      isDone = true
    })
    for (let batch = 0; !isDone || batch < 20; batch++) {
      clock += 1000
      await engine.add(captures(batch * 7, batch * 7 + 30, 'second'))
      await engine.remove(`https://example.com/${batch}`)
      if (!isTaken) continue
      // A purge changes the past of the index, but not the backup.
      await engine.add([{ url: `https://example.com/late/${batch}`, text: 'second of late pages' }])
      await engine.purge(`https://example.com/late/${batch}`)
    }
    const report = await made
    const backup = await opening(target)
    expect(report.captures).toBe((await engine.sealed(report.instant).stats()).captures)
    const { captures: held, urls } = await backup.stats()
    expect({ captures: held, urls }).toEqual({ captures: report.captures, urls: report.urls })
    expect(await state(backup, report.instant)).toEqual(await state(engine, report.instant))
    // A backup can be written to like any other index.
    clock += 1000
    await backup.add(captures(0, 5, 'third'))
    expect((await backup.search('third')).results).toHaveLength(5)
    expect((await engine.search('third')).results).toEqual([])
  })

  it('keeps the history, the removals, the purges and the latest instant of the clock', async () => {
    const engine = await opening(dir)
    await engine.add(captures(0, 10, 'first'))
    clock += 1000
    await engine.add(captures(0, 5, 'second'))
    await engine.remove('https://example.com/7')
    await engine.purge('https://example.com/8')
    const { instant, bytes } = await engine.backup(target)
    expect(bytes).toBeGreaterThan(1000)
    clock = START_AT
    const backup = await opening(target)
    for (const queryTime of [START_AT, instant])
      expect(await state(backup, queryTime)).toEqual(await state(engine, queryTime))
    expect((await backup.search('second')).receipt).toEqual((await engine.search('second')).receipt)
    await backup.add(captures(0, 1, 'third'))
    expect((await backup.search('third')).results[0]?.acquiredAt).toBeGreaterThan(instant)
  })

  it('copies nothing that the manifest no longer names', async () => {
    const engine = await opening(dir, mergeAll)
    for (let batch = 0; batch < 10; batch++) await engine.add(captures(batch * 20, batch * 20 + 20, 'first'))
    await engine.add([{ url: 'https://example.com/secret', title: 'Unspeakableword', text: 'nobody should know' }])
    await engine.purge('https://example.com/secret')
    await engine.close()
    const again = await opening(dir, mergeAll)
    await again.backup(target)
    const index = join(target, 'index')
    const files = await Promise.all((await readdir(index)).map(name => readFile(join(index, name), 'latin1')))
    expect(files.some(file => file.toLowerCase().includes('unspeakableword'))).toBe(false)
    expect(files.some(file => file.includes('Page 7'))).toBe(true)
  })

  it('of an empty index is an empty index', async () => {
    const engine = await opening(dir)
    expect(await engine.backup(target)).toMatchObject({ captures: 0, urls: 0 })
    expect(await (await opening(target)).stats()).toMatchObject({ captures: 0, segments: 0 })
  })

  it('requires an empty or new folder', async () => {
    const engine = await opening(dir)
    await engine.add(captures(0, 3, 'first'))
    await mkdir(target, { recursive: true })
    await engine.backup(target)
    const refused = expect.objectContaining({ code: 'ASOF_BACKUP_TARGET' })
    const names = await readdir(target)
    await expect(engine.backup(target)).rejects.toThrow(refused)
    await expect(engine.backup(join(dir, 'index'))).rejects.toThrow(refused)
    const file = join(target, '..', 'file')
    await writeFile(file, 'mine')
    await expect(engine.backup(file)).rejects.toThrow(refused)
    const two = join(target, '..', 'two')
    const ends = await Promise.allSettled([engine.backup(two), engine.backup(two)])
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused })
    expect(await readdir(target)).toEqual(names)
    expect(await readFile(file, 'utf8')).toBe('mine')
  })

  it('does not go into the data folder, also by a link, and writes nothing there', async () => {
    const engine = await opening(dir)
    const root = join(dir, '..')
    const links = { data: dir, empty: join(dir, 'empty'), missing: join(dir, 'missing') }
    await mkdir(links.empty)
    for (const [name, to] of Object.entries(links)) await symlink(to, join(root, `to-${name}`))
    const names = (await readdir(dir)).sort()
    for (const folder of [
      dir,
      join(dir, 'copy'),
      join(dir, 'empty'),
      join(dir, 'index', 'deep', 'copy'),
      join(dir, '..', 'data', 'copy'),
      join(root, 'to-data', 'copy'),
      join(root, 'to-empty'),
      join(root, 'to-missing'),
    ])
      await expect(engine.backup(folder), folder).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    // A link is refused as the target wherever it leads, but not on the way to it.
    await mkdir(join(root, 'elsewhere', 'empty'), { recursive: true })
    await symlink(join(root, 'elsewhere', 'empty'), join(root, 'to-elsewhere'))
    await symlink(join(root, 'elsewhere'), join(root, 'way'))
    await expect(engine.backup(join(root, 'to-elsewhere'))).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    await expect(engine.backup(join(root, 'to-elsewhere/'))).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    expect(await readdir(join(root, 'elsewhere'), { recursive: true })).toEqual(['empty'])
    await engine.backup(join(root, 'way', 'copy'))
    expect((await readdir(dir)).sort()).toEqual(names)
    expect(await readdir(links.empty)).toEqual([])
    // Beside the data folder, also with a name that begins like its name, there is no objection.
    await engine.backup(`${dir}-copy`)
  })

  it('does not delete a data folder that has the name and the mark of an unfinished backup', async () => {
    const data = `${target}.partial`
    const engine = await opening(data)
    await writeFile(join(data, 'UNFINISHED'), '')
    const names = (await readdir(data)).sort()
    await expect(engine.backup(target)).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    expect((await readdir(data)).sort()).toEqual(names)
  })

  it('does not touch a folder that only has the name of an unfinished backup', async () => {
    const engine = await opening(dir)
    await mkdir(`${target}.partial`, { recursive: true })
    await writeFile(join(`${target}.partial`, 'notes.txt'), 'mine')
    await expect(engine.backup(target)).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    expect(await readdir(`${target}.partial`)).toEqual(['notes.txt'])
  })

  it('contains what `beside` writes, and is deleted if `beside` fails', async () => {
    const engine = await opening(dir)
    await engine.add(captures(0, 3, 'first'))
    const failed = engine.backup(target, {
      beside: async () => {
        throw new Error('no notes')
      },
    })
    await expect(failed).rejects.toThrow('no notes')
    expect(existsSync(target) || existsSync(`${target}.partial`)).toBe(false)
    await engine.backup(target, { beside: folder => writeFile(join(folder, 'notes.txt'), 'mine') })
    expect((await readdir(target)).sort()).toEqual(['index', 'notes.txt'])
  })

  it('is stopped by its signal and by closing the engine, and then leaves no files', async () => {
    const engine = await opening(dir)
    await engine.add(captures(0, 400, 'first'))
    const stopped = expect.objectContaining({ code: 'ASOF_CLOSED' })
    await expect(engine.backup(target, { signal: AbortSignal.abort() })).rejects.toThrow(stopped)
    expect(existsSync(target) || existsSync(`${target}.partial`)).toBe(false)
    const closing = new Promise<void>(resolve => {
      void expect(engine.backup(target, { beside: async () => void engine.close() }))
        .rejects.toThrow(stopped)
        .then(resolve)
    })
    await closing
    expect(existsSync(target) || existsSync(`${target}.partial`)).toBe(false)
    await expect(engine.backup(target)).rejects.toThrow(stopped)
    await engine.close()
    expect(await (await opening(dir)).stats()).toMatchObject({ captures: 400 })
  })

  it('reports its progress', async () => {
    const engine = await opening(dir)
    await engine.add(captures(0, 400, 'first'))
    const told: number[] = []
    const { bytes } = await engine.backup(target, { onProgress: copied => told.push(copied) })
    expect(told.length).toBeGreaterThan(0)
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(bytes)
  })

  for (const step of ['backup-1-begun', 'backup-2-copied'])
    it(`that was killed at ${step} does not open, and is replaced by the next one`, async () => {
      const engine = await opening(dir)
      await engine.add(captures(0, 50, 'first'))
      await engine.close()
      const hook = `globalThis[Symbol.for('asof.failpoint')] = step => {
        if (step === '${step}') process.kill(process.pid, 'SIGKILL')
      }`
      const core = pathToFileURL(join(import.meta.dirname, '../../../../core/index.ts')).href
      const program = join(dir, '..', 'program.mjs')
      await writeFile(
        program,
        `import { open } from '${core}'
        const engine = await open(${JSON.stringify(dir)})
        await engine.backup(${JSON.stringify(target)})`,
      )
      const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, program])
      const [, signal] = await once(child, 'exit')
      expect(signal).toBe('SIGKILL')
      expect(existsSync(target)).toBe(false)
      await expect(open(`${target}.partial`)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
      const again = await opening(dir)
      await again.backup(target)
      expect(existsSync(`${target}.partial`)).toBe(false)
      expect((await (await opening(target)).search('first', { maxResults: 100 })).results).toHaveLength(50)
    })
})
