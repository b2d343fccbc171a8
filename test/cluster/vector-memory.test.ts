import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClusterDatabase } from '../../cluster/stored/database.ts'
import { ReadVectors } from '../../cluster/vectors/read-vectors.ts'
import { VectorMemory } from '../../cluster/vectors/vector-memory.ts'
import { vectorKey } from '../../core/store/keys.ts'
import { decodeVector } from '../../core/store/records/vector-records.ts'
import { inverseLength, product, quantize } from '../../core/vectors/quantized.ts'
import { StoredModels } from '../../core/vectors/stored-models.ts'
import type { QueryMeaning } from '../../core/vectors/vector-reader.ts'
import { tableMemory, VectorTable } from '../../core/vectors/vector-table.ts'
import { START_AT } from '../core/history-script.ts'
import { conceptEmbedder, conceptVector, DIMENSIONS } from '../core/models/concept-embedder.ts'
import { histories, seed } from '../histories.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

const runs = Math.ceil(histories / 2)

/** Number of vectors that fit into the memory of the test. */
const CAPACITY = 12

const words = ['car', 'dog', 'doctor', 'river', 'stone', 'light', '東京都']
const change = fc.record({
  page: fc.nat(9),
  word: fc.constantFrom(...words),
  kind: fc.constantFrom('add', 'add', 'add', 'declare', 'remove', 'purge'),
  /** In parts of the time that has passed. */
  past: fc.integer({ min: 0, max: 10 }),
})

describe.skipIf(!servers)(`the vectors in the memory of a server (seed ${seed})`, () => {
  it('are those of all captures as of an instant, whatever was read before, and never more than fit', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(change, fc.integer({ min: 0, max: 30 })), { minLength: 5, maxLength: 30 }),
        async steps => {
          let now = START_AT
          const name = newName()
          const cluster = await openTestCluster({ name, now: () => now, embed: conceptEmbedder() })
          const database = await ClusterDatabase.open(servers!.database, name)
          const memory = new VectorMemory(database, 'concepts-1', new VectorTable(tableMemory(CAPACITY * DIMENSIONS)))
          try {
            for (const [n, [{ page, word, kind, past }, at]] of steps.entries()) {
              now += 10
              const url = `https://example.com/${page}`
              const declaredAt = START_AT + Math.floor(((now - START_AT) * past) / 10)
              const text = `${word} ${n}`
              if (kind === 'add') await cluster.add([{ url, text }])
              if (kind === 'declare') await cluster.add([{ url, text, acquiredAt: declaredAt }])
              if (kind === 'remove') await cluster.remove(url)
              if (kind === 'purge') await cluster.purge(url)
              const instant = Math.min(now, START_AT + at * 10)
              await database.answering(instant)
              if (await compareAt(database, memory, instant)) compared++
            }
          } finally {
            await database.close()
            await cluster.close()
          }
        },
      ),
      { seed, numRuns: runs },
    )
    expect(compared).toBeGreaterThan(0)
  })
})

const meaning: QueryMeaning = (() => {
  const vector = quantize(conceptVector('car and river'))
  return { model: 'concepts-1', modelId: 1, late: 0, vector, inverse: inverseLength(vector) }
})()

/** Compares the memory with what the database has. Returns false if there are more captures than fit. */
async function compareAt(database: ClusterDatabase, memory: VectorMemory, instant: number): Promise<boolean> {
  const clock = await database.state()
  const rows = await database.sql<{ id: number; supersededAt: number }[]>`
    select id, superseded_at as "supersededAt" from capture where acquired_at <= ${instant}`
  if (rows.length > CAPACITY) return false
  const pages = database.pages(database.sql)
  const current = rows.filter(({ supersededAt }) => supersededAt > instant).map(({ id }) => id)
  const stored = await pages.getMany(current.map(id => vectorKey(id, 1)))
  const expected = new Map(
    current.flatMap((id, i) => {
      if (!stored[i]) return []
      const vector = decodeVector(stored[i])
      return [[id, product(meaning.vector, vector, 0) * meaning.inverse * inverseLength(vector)] as const]
    }),
  )
  const acquired = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  const found = await memory.compare(meaning, { instant, rewrites: clock.rewrites, acquired })
  expect(found.isOvertaken).toBe(false)
  const least = [...expected].filter(([, cosine]) => Math.round(cosine * 65_536) > 0)
  // Zero deviations: all that are nearer than the mean.
  const { captures } = found.near(Number.NEGATIVE_INFINITY)
  if (expected.size >= 3) expect(captures.map(({ id }) => id).sort()).toEqual(least.map(([id]) => id).sort())
  const [own] = StoredModels.decoded(clock.models).all
  const read = new ReadVectors(meaning, { capacity: CAPACITY, own, pages })
  for (const id of current) read.cosine(id)
  if (read.isIncomplete) await read.readWanted()
  for (const id of current) {
    expect(found.cosine(id)).toBe(expected.get(id))
    expect(read.cosine(id)).toBe(expected.get(id))
  }
  expect(read.isIncomplete).toBe(false)
  return true
}
