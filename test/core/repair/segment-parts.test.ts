import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine, open, repair } from '../../../core/index.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { checksummed, verifiedValue } from '../../../core/store/integrity/checksum.ts'
import { chunkKey } from '../../../core/store/keys.ts'
import { damaged } from './damaged-index.ts'
import { tamper } from './written-history.ts'

const PAGES = 120
const VERSIONS = 4
const SEGMENT_OF_ONLY_COMMIT = 1
const times = [0, 1_000, 2_055, 3_001, 3_500, 9_000]

let root: string
let original: string
let right: unknown

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-standing-'))
  original = path.join(root, 'original')
  const engine = await open(original, { searchThreads: 0, mergePolicy: () => [] })
  await engine.add(
    Array.from({ length: PAGES * VERSIONS }, (_, i) => {
      const page = i % PAGES
      const version = Math.floor(i / PAGES)
      const words = page % 3 === version % 3 ? 'lamp of brass' : 'lamp of steel'
      return {
        url: `https://pages.example/${page}`,
        text: `${words} ${page}.${version}`,
        acquiredAt: 1_000 * version + page,
      }
    }),
  )
  await engine.close()
  right = await answersOf(original)
})
afterAll(() => rm(root, { recursive: true }))

async function answersOf(dir: string): Promise<unknown> {
  const engine = await open(dir, { searchThreads: 0, mergePolicy: () => [] })
  try {
    const answers = []
    for (const queryTime of times)
      for (const query of ['lamp', 'brass lamp', 'steel']) {
        const { results, receipt } = await engine.search(query, { queryTime, maxResults: 5 })
        answers.push(
          results.map(({ url, score }) => [url, score]),
          receipt.captures,
        )
      }
    return answers
  } finally {
    await engine.close()
  }
}

/** Copies the index and replaces a chunk. */
function changed(key: Uint8Array, change: (bytes: Uint8Array) => Uint8Array | undefined): Promise<string> {
  return damaged(root, original, dir =>
    tamper(dir, async database => {
      const after = change((await database.get(key))!)
      if (after) await database.put(key, after)
      else await database.del(key)
      // The chunk that was there before would be found in an older table.
      await database.compactRange(key, key)
    }),
  )
}

async function expectRepaired(dir: string): Promise<void> {
  expect(await repair(dir)).toMatchObject({ lost: [], datesLost: 0, historiesPatched: 0 })
  expect(await examine(dir)).toMatchObject({ sound: true, strays: 0 })
  expect(await answersOf(dir)).toEqual(right)
}

/** Parts of a segment that can be made from its other parts. */
const parts = [
  {
    name: 'standing lists',
    key: chunkKey(SEGMENT_OF_ONLY_COMMIT, Stream.standing, 0),
    // The last byte has low bits of the place of a loss, or bits of postings.
    change: (bytes: Uint8Array) => bytes.fill(bytes.at(-1)! ^ 1, -1),
    problem: /segment 1: the standing list of ".+" is not that of its captures/,
  },
  {
    name: 'a filter of terms',
    key: chunkKey(SEGMENT_OF_ONLY_COMMIT, Stream.termFilter, 0),
    change: (bytes: Uint8Array) => bytes.fill(0, 4),
    problem: /segment 1: the filter of its terms leaves out ".+"/,
  },
]

it('an index with ended captures answers differently as of different instants, and is sound', async () => {
  expect(await examine(original)).toMatchObject({ sound: true, captures: PAGES * VERSIONS })
  expect(new Set((right as unknown[]).map(answer => JSON.stringify(answer))).size).toBeGreaterThan(times.length)
})

describe.each(parts)('$name', ({ key, change, problem }) => {
  it.each([
    ['missing', () => undefined],
    [
      'wrong in a bit',
      (bytes: Uint8Array) => {
        bytes[bytes.length >> 1]! ^= 1
        return bytes
      },
    ],
  ])('if %s, reported by searches and examinations, and repaired', async (_, damage) => {
    const dir = await changed(key, damage)
    await expect(answersOf(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
    expect(await examine(dir)).toMatchObject({ sound: false })
    await expectRepaired(dir)
  })

  it('if it does not fit the captures, found by an examination although its checksum is right', async () => {
    const dir = await changed(key, stored => checksummed(key, change(Uint8Array.from(verifiedValue(key, stored)))))
    const { sound, problems } = await examine(dir)
    expect(sound).toBe(false)
    expect(problems[0]).toMatch(problem)
    await expectRepaired(dir)
  })
})
