import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CommitWatermark } from '../../../../core/store/integrity/commit-watermark.ts'

describe('the commit watermark', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-acknowledged-'))
  })
  afterEach(() => rm(dir, { recursive: true }))

  it('is the generation noted last, and 0 if there is none', () => {
    const first = new CommitWatermark(dir)
    expect(first.generation).toBe(0)
    first.note(7)
    first.note(2 ** 40)
    first.close()
    expect(new CommitWatermark(dir).generation).toBe(2 ** 40)
  })

  it('is 0 if its file is damaged or cut off', async () => {
    const first = new CommitWatermark(dir)
    first.note(7)
    first.close()
    const file = path.join(dir, 'ACKNOWLEDGED')
    const bytes = await readFile(file)
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes)
      flipped[at]! ^= 4
      await writeFile(file, flipped)
      expect(new CommitWatermark(dir).generation).toBe(0)
      await writeFile(file, bytes.subarray(0, at))
      expect(new CommitWatermark(dir).generation).toBe(0)
    }
  })

  it('keeps its value if the file cannot be written', async () => {
    const gone = new CommitWatermark(path.join(dir, 'nowhere'))
    gone.note(9)
    gone.close()
    expect(new CommitWatermark(path.join(dir, 'nowhere')).generation).toBe(0)
  })
})
