import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CaptureInput, type Engine, examine, open } from '../../core/index.ts'
import { addModel, localModel } from '../../service/local-models/index.ts'
import { generator } from '../core/random-segments.ts'
import { Fixture } from '../encoder/fixture.ts'
import { seed } from '../histories.ts'
import { killAfterLines } from './kill-after-lines.ts'

const PAGES = 400
/** Number of captures whose vectors are written together. */
const AT_ONCE = 32
const MODEL = 'bert'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-embed-kill-'))
})
afterEach(() => rm(root, { recursive: true }))

it(`embedding that is killed again and again loses no vector and stores none twice (seed ${seed})`, async () => {
  const random = generator(seed)
  const words = ['cat', 'dog', 'search', 'engine', 'finds', 'page', 'sat', 'mat', 'log', 'the']
  const pages = Array.from({ length: PAGES }, (_, i): CaptureInput => {
    const text = Array.from({ length: 30 }, () => words[Math.floor(random() * words.length)]).join(' ')
    return { url: `https://example.com/${i % 300}`, text: `${text} ${i}`, acquiredAt: 1_000_000 + i }
  })
  const folder = join(root, 'models')
  await addModel(new Fixture('bert').folder, { folder, name: MODEL })
  const embed = localModel(MODEL, { folder })
  const dir = join(root, 'data')
  const opened = async <T>(use: (engine: Engine) => Promise<T>): Promise<T> => {
    const engine = await open(dir, { embed, searchThreads: 0 })
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  }
  const vectorCount = () => opened(async engine => (await engine.stats()).vectors ?? 0)
  await opened(engine => engine.add(pages, { vectors: 'later' }))
  let stored = await vectorCount()
  expect(stored).toBe(0)
  for (let kills = 0; kills < 4; kills++) {
    let reported = 0
    const script = [dir, folder, MODEL]
    await killAfterLines('embed-writer.ts', script, Math.floor(random() * 3), ([embedded]) => {
      reported = Number(embedded)
    })
    const before = stored
    stored = await vectorCount()
    // At most the vectors of one group were on disk without a line.
    expect(stored).toBeGreaterThanOrEqual(before + reported)
    expect(stored).toBeLessThanOrEqual(before + reported + AT_ONCE)
    expect(stored).toBeLessThan(PAGES)
    expect(await examine(dir)).toMatchObject({ sound: true })
  }
  await opened(async engine => {
    expect(await engine.embed()).toEqual({ captures: PAGES, embedded: PAGES - stored })
    expect(await engine.embed()).toEqual({ captures: PAGES, embedded: 0 })
    expect((await engine.stats()).vectors).toBe(PAGES)
    const twin = await open(':memory:', { embed, searchThreads: 0 })
    await twin.add(pages)
    for (const queryTime of [1_000_100, 1_000_350, undefined]) {
      const { results, receipt } = await engine.search('the cat finds a page', { queryTime })
      const expected = await twin.search('the cat finds a page', { queryTime })
      expect(results).toEqual(expected.results)
      expect(receipt.vectors).toEqual({ ...expected.receipt.vectors, late: PAGES })
      expect(receipt.vectors?.compared).toBeGreaterThan(0)
    }
    await twin.close()
  })
  await embed.close()
})
