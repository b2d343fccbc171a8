import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { answersFile, answersOf, endAt, folder, questions, writeHistory } from '../fixtures/store-history.ts'

const frozen = JSON.parse(readFileSync(answersFile, 'utf8')) as {
  searches: { results: { score: number }[]; receipt: { segments: number } }[]
  stats: { segments: number; captures: number }
}

/** Returns a value as it reads back from a JSON file. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a store that format 1 wrote', () => {
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'asof-frozen-'))
  })
  afterEach(() => {
    rmSync(dir, { recursive: true })
  })

  it('gives the same answers today, to the last bit of every score', async () => {
    cpSync(folder, dir, { recursive: true })
    expect(plain(await answersOf(dir))).toEqual(frozen)
    expect(frozen.searches.length).toBe(questions.length)
  })

  it('gives the same answers after its segments are merged, except for their number', async () => {
    cpSync(folder, dir, { recursive: true })
    const policy = (segments: readonly { id: number }[]) => (segments.length > 1 ? segments.map(({ id }) => id) : [])
    // Opening starts the merge; closing would stop it, as nothing was written.
    const engine = await open(dir, { now: () => endAt, mergePolicy: policy })
    await expect.poll(async () => (await engine.stats()).segments).toBe(1)
    await engine.close()
    const answers = plain(await answersOf(dir)) as typeof frozen
    expect(answers.stats.segments).toBe(1)
    expect(answers.stats.captures).toBe(frozen.stats.captures)
    const comparable = ({ searches }: typeof frozen) =>
      searches.map(({ receipt, ...rest }) => ({ ...rest, receipt: { ...receipt, segments: 0 } }))
    expect(comparable(answers)).toEqual(comparable(frozen))
  })

  it('is byte for byte what the same history writes today', async () => {
    await writeHistory(dir)
    expect(plain(await answersOf(dir))).toEqual(frozen)
  })
})
