import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ImportMark } from '../../../service/data-folder/import-mark.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-mark-'))
  file = join(dir, 'pages.jsonl')
  await writeFile(file, '{}\n')
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const marks = () => readdir(join(dir, 'imports'))

describe('the mark of an import', () => {
  it('keeps the progress of an interrupted import', async () => {
    const first = await ImportMark.of(dir, file)
    expect(first.done).toBe(0)
    first.reached(500)
    first.reached(1000)
    await first.end(false)
    expect((await ImportMark.of(dir, file)).done).toBe(1000)
  })
  it('is deleted when the import is complete', async () => {
    const whole = await ImportMark.of(dir, file)
    whole.reached(500)
    await whole.end(true)
    expect(await marks()).toEqual([])
    expect((await ImportMark.of(dir, file)).done).toBe(0)
  })
  it('does not apply to a file that has changed', async () => {
    const mark = await ImportMark.of(dir, file)
    mark.reached(500)
    await appendFile(file, '{}\n')
    expect((await ImportMark.of(dir, file)).done).toBe(0)
  })
  it('is ignored if it is damaged', async () => {
    const mark = await ImportMark.of(dir, file)
    mark.reached(500)
    await writeFile(join(dir, 'imports', (await marks())[0]!), 'half a num')
    expect((await ImportMark.of(dir, file)).done).toBe(0)
  })
  it('is not kept for standard input or a folder', async () => {
    for (const name of ['-', dir]) {
      const mark = await ImportMark.of(dir, name)
      mark.reached(500)
      await mark.end(false)
      expect((await ImportMark.of(dir, name)).done).toBe(0)
    }
  })
})
