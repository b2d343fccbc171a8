import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkFolder } from '../../../core/leveldb/folder-check.ts'
import { salvage } from '../../../core/leveldb/salvage.ts'
import { changeFile, contentOf, filesNamed, flipped, keyOf, withDatabase } from './database-folder.ts'

const everything = { sums: () => true }
const indexesAlone = { sums: () => false }
const COUNT = 1500

let root: string
let filled: string
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-tables-'))
  filled = path.join(root, 'filled')
  await withDatabase(
    async database => {
      for (let from = 0; from < COUNT; from += 100)
        await database.batch(
          Array.from({ length: 100 }, (_, i) => ({ type: 'put', key: keyOf(from + i), value: contentOf(from + i) })),
        )
      await database.compactRange(keyOf(0), keyOf(COUNT))
      for (let i = 0; i < 50; i++) await database.put(keyOf(COUNT + i), contentOf(COUNT + i), { sync: true })
      await database.del(keyOf(7))
    },
    location => cp(location, filled, { recursive: true }),
    { blockSize: 1024, maxFileSize: 1024 * 1024, writeBufferSize: 64 * 1024 },
  )
})
afterAll(() => rm(root, { recursive: true }))

/** A copy of a folder with several tables, and a log with the last of the writes. */
async function withTables(use: (location: string) => Promise<void>): Promise<void> {
  const location = await mkdtemp(path.join(root, 'copy-'))
  await cp(filled, location, { recursive: true })
  await use(location)
}

async function saved(location: string): Promise<{ keys: string[]; damage: string[]; wrong: number }> {
  const keys: string[] = []
  const damage: string[] = []
  let wrong = 0
  const values = salvage(location, { onDamage: ({ what }) => damage.push(what), isIntact: () => true })
  for await (const [key, value] of values) {
    const name = Buffer.from(key).toString()
    keys.push(name)
    if (Buffer.compare(contentOf(Number(name.slice(1))), value) !== 0) wrong++
  }
  return { keys, damage, wrong }
}

const allKeys = Array.from({ length: COUNT + 50 }, (_, i) => Buffer.from(keyOf(i)).toString()).filter((_, i) => i !== 7)

describe('the check of a LevelDB folder', () => {
  it('finds no damage in a folder that LevelDB closed, nor in an empty one', () =>
    withTables(async location => {
      expect(await checkFolder(location, everything)).toEqual([])
      const empty = await mkdtemp(path.join(location, 'empty-'))
      expect(await checkFolder(empty, everything)).toEqual([])
    }))

  it('finds every flipped byte of a table, in its data only on request', () =>
    withTables(async location => {
      const table = (await filesNamed(location, /ldb$/))[0]!
      const file = path.join(location, table)
      const { size } = await stat(file)
      const original = await readFile(file)
      let foundByIndexes = 0
      const places = [
        ...Array.from({ length: 30 }, (_, i) => Math.floor((i * size) / 30)),
        ...Array.from({ length: 8 }, (_, i) => size - 1 - i),
      ]
      for (const at of places) {
        await changeFile(file, flipped(at))
        // The footer is padded between its handles and the mark at its end.
        const isPadding = at >= size - 48 && at < size - 8
        if (!isPadding) expect(await checkFolder(location, everything), `byte ${at} of ${size}`).toHaveLength(1)
        if ((await checkFolder(location, indexesAlone)).length > 0) foundByIndexes++
        await writeFile(file, original)
      }
      expect(foundByIndexes).toBeGreaterThanOrEqual(8)
      expect(foundByIndexes).toBeLessThan(places.length / 2)
    }))

  it('finds without checksums every flipped byte for which LevelDB would end the process', () =>
    withTables(async location => {
      const table = (await filesNamed(location, /ldb$/))[0]!
      const original = await readFile(path.join(location, table))
      let passed = 0
      // Within the first blocks, where keys, lengths and restarts lie close together.
      for (let at = 0; at < 2400; at += 37) {
        await writeFile(path.join(location, table), flipped(at)(Buffer.from(original)))
        if ((await checkFolder(location, indexesAlone)).length > 0) continue
        passed++
        const copy = `${location}-copy`
        await cp(location, copy, { recursive: true })
        const database = new ClassicLevel(copy, { compression: false })
        for await (const _ of database.iterator());
        await database.put('k000000', 'so that there is something to compact')
        await database.compactRange('a', 'z')
        await database.close()
        await rm(copy, { recursive: true })
      }
      expect(passed).toBeGreaterThan(10)
    }))

  it('finds tables that are missing or cut off, and names them', () =>
    withTables(async location => {
      const table = (await filesNamed(location, /ldb$/))[0]!
      await changeFile(path.join(location, table), bytes => bytes.subarray(0, bytes.length - 1))
      expect(await checkFolder(location, indexesAlone)).toEqual([
        { file: table, what: expect.stringContaining('bytes of') },
      ])
      await rm(path.join(location, table))
      expect(await checkFolder(location, indexesAlone)).toEqual([{ file: table, what: 'it is missing' }])
    }))

  it('finds that CURRENT, the descriptor or the log is missing or damaged', () =>
    withTables(async location => {
      const descriptor = (await filesNamed(location, /^MANIFEST/))[0]!
      const log = (await filesNamed(location, /log$/))[0]!
      for (const name of ['CURRENT', descriptor, log]) {
        const original = await readFile(path.join(location, name))
        await rm(path.join(location, name))
        expect(await checkFolder(location, indexesAlone), `${name} gone`).toHaveLength(1)
        await writeFile(path.join(location, name), flipped(10)(Buffer.from(original)))
        expect(await checkFolder(location, indexesAlone), `${name} flipped`).toHaveLength(1)
        await writeFile(path.join(location, name), original)
      }
      expect(await checkFolder(location, everything)).toEqual([])
    }))

  it('accepts a log that is cut off at the end, as after a crash', () =>
    withTables(async location => {
      const log = (await filesNamed(location, /log$/))[0]!
      const file = path.join(location, log)
      const original = await readFile(file)
      for (let length = 0; length < original.length; length += 211) {
        await writeFile(file, original.subarray(0, length))
        expect(await checkFolder(location, everything), `${length} of ${original.length}`).toEqual([])
      }
    }))
})

describe('salvage', () => {
  it('returns the newest value of each key of an undamaged folder, and nothing deleted', () =>
    withTables(async location => {
      expect(await saved(location)).toEqual({ keys: allKeys, damage: [], wrong: 0 })
    }))

  it('loses only the block with a flipped byte, and reports it', () =>
    withTables(async location => {
      const table = (await filesNamed(location, /ldb$/))[0]!
      await changeFile(path.join(location, table), flipped(20_000))
      const { keys, damage, wrong } = await saved(location)
      expect(damage).toHaveLength(1)
      expect(wrong).toBe(0)
      expect(allKeys.length - keys.length).toBeGreaterThan(0)
      expect(allKeys.length - keys.length).toBeLessThan(40)
    }))

  it('reads a table that was cut off up to the cut', () =>
    withTables(async location => {
      const table = (await filesNamed(location, /ldb$/))[0]!
      const file = path.join(location, table)
      const { size } = await stat(file)
      await changeFile(file, bytes => bytes.subarray(0, size / 2))
      const { keys, damage, wrong } = await saved(location)
      expect(damage.length).toBeGreaterThan(0)
      expect(wrong).toBe(0)
      expect(keys.length).toBeGreaterThan(COUNT * 0.4)
      expect(keys).toEqual(allKeys.filter(key => keys.includes(key)))
    }))

  it('needs neither CURRENT nor a descriptor', () =>
    withTables(async location => {
      const descriptor = (await filesNamed(location, /^MANIFEST/))[0]!
      await rm(path.join(location, descriptor))
      await rm(path.join(location, 'CURRENT'))
      expect(await saved(location)).toEqual({ keys: allKeys, damage: ['CURRENT is missing'], wrong: 0 })
    }))

  it('continues after a damaged record of a log', () =>
    withTables(async location => {
      const log = (await filesNamed(location, /log$/))[0]!
      const file = path.join(location, log)
      await changeFile(file, flipped(30))
      const { keys, damage } = await saved(location)
      expect(damage).toEqual([expect.stringContaining('damaged')])
      expect(allKeys.length - keys.length).toBe(1)
    }))

  it('returns the next older value if the newest is damaged', () =>
    withDatabase(
      async database => {
        await database.put(keyOf(1), contentOf(1))
        await database.put(keyOf(1), contentOf(2))
      },
      async location => {
        const isIntact = (_: Uint8Array, value: Uint8Array): boolean => Buffer.compare(value, contentOf(2)) !== 0
        const values: Uint8Array[] = []
        for await (const [, value] of salvage(location, { onDamage: () => {}, isIntact })) values.push(value)
        expect(values.map(value => Buffer.from(value))).toEqual([contentOf(1)])
      },
    ))
})
