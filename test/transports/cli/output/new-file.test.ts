import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NewFile, writeFiles } from '../../../../transports/cli/output/new-file.ts'

let dir: string
let name: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-new-file-'))
  name = join(dir, 'pages')
})
afterEach(() => rm(dir, { recursive: true }))

describe('a new file', () => {
  it('holds all parts in their order, and has its name when it is complete', async () => {
    const parts = Array.from({ length: 500 }, (_, i) => `${i}: ${'ä'.repeat(i)}\n`)
    const file = await NewFile.create(name)
    for (const [i, part] of parts.entries()) await file.write(i % 2 === 0 ? part : Buffer.from(part))
    expect(await readdir(dir)).toEqual(['pages.partial'])
    await file.finish()
    expect(await readdir(dir)).toEqual(['pages'])
    expect(await readFile(name, 'utf8')).toBe(parts.join(''))
  })

  it('gathers small parts for one write', async () => {
    const file = await NewFile.create(name)
    await file.write('a line\n')
    expect((await stat(`${name}.partial`)).size).toBe(0)
    await file.write('x'.repeat(1 << 16))
    expect((await stat(`${name}.partial`)).size).toBe(7 + (1 << 16))
    await file.finish()
  })

  it('is empty without parts', async () => {
    await (await NewFile.create(name)).finish()
    expect(await readFile(name, 'utf8')).toBe('')
  })

  it.skipIf(process.platform === 'win32')('may be read by its user alone, unless it is created otherwise', async () => {
    const modeOf = async (...mode: number[]) => {
      await (await NewFile.create(name, ...mode)).finish()
      return (await stat(name)).mode & 0o777
    }
    expect(await modeOf()).toBe(0o600)
    expect(await modeOf(0o666)).toBe(0o666 & ~process.umask())
  })

  it('leaves nothing behind if it is discarded', async () => {
    const file = await NewFile.create(name)
    await file.write('a line\n')
    await file.discard()
    expect(await readdir(dir)).toEqual([])
  })
})

describe('writing files', () => {
  it('gives them their names when all are complete', async () => {
    await writeFiles([name, `${name}.2`], async ([first, second]) => {
      await first!.write('1')
      await second!.write('2')
    })
    expect((await readdir(dir)).sort()).toEqual(['pages', 'pages.2'])
  })

  it('leaves nothing behind if writing fails, or if one of them can not be created', async () => {
    const failure = new Error('the folder is locked')
    await expect(writeFiles([name], () => Promise.reject(failure))).rejects.toBe(failure)
    const missing = join(dir, 'missing', 'pages')
    await expect(writeFiles([name, missing], async () => {})).rejects.toThrow("can't be written")
    expect(await readdir(dir)).toEqual([])
  })
})
