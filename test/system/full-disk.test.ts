import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import { Stream } from '../../core/segment/streams.ts'
import { FolderStore } from '../../core/store/folder-store.ts'
import { chunkKey } from '../../core/store/keys.ts'
import { casesOf } from '../cases.ts'

const run = promisify(execFile)

/** Mounts a small disk. @returns undefined if this user may not mount one. */
async function smallDisk(megabytes: number): Promise<{ dir: string; remove: () => Promise<void> } | undefined> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir])
  } catch {
    await rm(dir, { recursive: true })
    return undefined
  }
  return {
    dir,
    remove: async () => {
      // Lazily, so that a test that left an index open fails by what it found.
      await run('umount', ['-l', dir])
      await rm(dir, { recursive: true })
    },
  }
}

const probe = await smallDisk(1)
await probe?.remove()
if (!probe) console.log('skipped: a small disk can not be mounted here (that takes root)')

const writer = path.join(import.meta.dirname, 'full-disk-writer.ts')

/** Starts a process that fills the disk with adds, and kills it then. @returns what it printed. */
async function fillAndKill(data: string, captures: number, firstBatch: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, data, String(captures), 'adds', String(firstBatch)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line === 'full') child.kill('SIGKILL')
  }
  await closed
  return lines
}

/** Space for the index at first. */
const ROOM_MEGABYTES = 16
/** Space that becomes free later, enough for merges and their temporary files. */
const BALLAST_MEGABYTES = 128
/** Number of processes that fill a disk one after the other: more than one, so that a full disk is opened. */
const ROUNDS = Math.max(2, casesOf(8))

describe.skipIf(!probe)('a full disk', () => {
  it('does not prevent opening and searching an index, and writes succeed once there is space', async () => {
    const disk = await smallDisk(ROOM_MEGABYTES)
    if (!disk) throw new Error('the disk can not be mounted any more')
    try {
      const data = path.join(disk.dir, 'data')
      const script = `
        import { open } from ${JSON.stringify(path.join(import.meta.dirname, '../../core/index.ts'))}
        const engine = await open(${JSON.stringify(data)})
        const word = n => 'w' + ((n * 7919) % 5003).toString(36)
        for (let i = 0; i < 4; i++) await engine.add(Array.from({ length: 100 }, (_, n) =>
          ({ url: 'https://disk.example/' + i + '/' + n, text: 'kept ' + Array.from({ length: 300 }, (_, w) => word(i * 977 + n * 300 + w)).join(' ') })))
        console.log('added')
        process.kill(process.pid, 'SIGKILL')`
      await run(process.execPath, ['--input-type=module', '-e', script]).catch(() => {})
      // The process was killed, so its log must be replayed. Now another file takes all free space.
      await expect(
        writeFile(path.join(disk.dir, 'others'), Buffer.alloc(ROOM_MEGABYTES * 1024 * 1024, 1)),
      ).rejects.toThrow()
      for (const _ of ['first', 'again']) {
        const engine = await open(data)
        try {
          const { results } = await engine.search('kept', { maxResults: 1000, snippetMaxLength: 0 })
          expect(results).toHaveLength(400)
          // Another file may also take the space of the reserve before the engine can allocate it again.
          await writeFile(path.join(disk.dir, 'more'), Buffer.alloc(ROOM_MEGABYTES * 1024 * 1024, 1)).catch(() => {})
          await expect(engine.add([{ url: 'https://disk.example/new', text: 'new' }])).rejects.toMatchObject({
            code: 'ASOF_STORE_WRITE',
          })
          expect((await engine.search('kept', { maxResults: 1 })).results).toHaveLength(1)
        } finally {
          await rm(path.join(disk.dir, 'more'), { force: true })
          await engine.close()
        }
      }
      await rm(path.join(disk.dir, 'others'))
      const engine = await open(data)
      expect(await engine.add([{ url: 'https://disk.example/new', text: 'new' }])).toMatchObject({ added: 1 })
      await engine.close()
    } finally {
      await disk.remove()
    }
  })
  it('does not prevent opening an index in which a killed merge left a segment, and the next write deletes that', async () => {
    const disk = await smallDisk(ROOM_MEGABYTES)
    if (!disk) throw new Error('the disk can not be mounted any more')
    try {
      const data = path.join(disk.dir, 'data')
      const index = path.join(data, 'index')
      const first = await open(data)
      await first.add([{ url: 'https://disk.example/kept', text: 'kept' }])
      await first.close()
      const left = await FolderStore.open(index, { cacheBytes: 1024 * 1024 })
      const kept = await left.segmentsPresent()
      const chunk = { key: chunkKey(77, Stream.postings, 0), value: Buffer.alloc(ROOM_MEGABYTES * 1024) }
      await left.commit([{ type: 'put', ...chunk }])
      await left.close()
      const others = path.join(disk.dir, 'others')
      await expect(writeFile(others, Buffer.alloc(ROOM_MEGABYTES * 1024 * 1024, 1))).rejects.toThrow()

      for (const _ of ['first', 'again']) {
        const engine = await open(data)
        expect((await engine.search('kept')).results).toHaveLength(1)
        const refused = engine.add([{ url: 'https://disk.example/new', text: 'new' }])
        await expect(refused).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
        await engine.close()
      }
      await rm(others)
      const engine = await open(data)
      expect(await engine.add([{ url: 'https://disk.example/new', text: 'new' }])).toMatchObject({ added: 1 })
      await engine.close()
      const store = await FolderStore.open(index, { cacheBytes: 1024 * 1024 })
      const present = await store.segmentsPresent()
      await store.close()
      expect(present).not.toContain(77)
      expect([...present]).toEqual(expect.arrayContaining([...kept]))
    } finally {
      await disk.remove()
    }
  })
  it.each([
    { captures: 200, what: 'large adds' },
    { captures: 8, what: 'small adds and their merges' },
  ])('can be opened again and again by processes whose $what keep it full', async ({ captures }) => {
    const disk = await smallDisk(2 * ROOM_MEGABYTES)
    if (!disk) throw new Error('the disk can not be mounted any more')
    try {
      const data = path.join(disk.dir, 'data')
      const added: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        // Each process is killed on the full disk, after five adds were refused.
        const lines = await fillAndKill(data, captures, round * 100_000)
        expect(lines.filter(line => line.startsWith('refused '))).toEqual(
          Array.from({ length: 5 }, () => 'refused ASOF_STORE_WRITE'),
        )
        added.push(...lines.filter(line => line.startsWith('added ')).map(line => Number(line.slice('added '.length))))
      }
      const engine = await open(data)
      expect((await engine.stats()).captures).toBe(added.length * captures)
      for (const batch of [0, added.at(-1)!])
        expect((await engine.search(`batch${batch}`, { maxResults: 1000, snippetMaxLength: 0 })).results).toHaveLength(
          captures,
        )
      await engine.close()
    } finally {
      await disk.remove()
    }
  })
  it.each([
    { captures: 200, filledBy: 'adds', what: 'large adds' },
    { captures: 8, filledBy: 'adds', what: 'small adds and their merges' },
    { captures: 50, filledBy: 'merge', what: 'a merge' },
  ])(
    'filled by $what loses nothing, and the same engine writes again once there is space',
    async ({ captures, filledBy }) => {
      const disk = await smallDisk(ROOM_MEGABYTES + BALLAST_MEGABYTES)
      if (!disk) throw new Error('the disk can not be mounted any more')
      try {
        const ballast = path.join(disk.dir, 'ballast')
        await writeFile(ballast, Buffer.alloc(BALLAST_MEGABYTES * 1024 * 1024, 1))
        const data = path.join(disk.dir, 'data')
        const child = spawn(process.execPath, [writer, data, String(captures), filledBy], {
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        const closed = once(child, 'close')
        const lines: string[] = []
        for await (const line of createInterface({ input: child.stdout })) {
          lines.push(line)
          if (line === 'full') {
            await rm(ballast)
            child.stdin.write('go on\n')
          } else if (line === 'done') child.kill('SIGKILL')
        }
        await closed
        const after = (word: string): string[] =>
          lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1))
        const added = after('added').map(Number)
        if (filledBy === 'adds') expect(after('refused')).toEqual(Array.from({ length: 5 }, () => 'ASOF_STORE_WRITE'))
        else expect(after('warning')).toEqual([expect.stringContaining('a merge failed')])
        expect(lines.slice(-3)).toEqual([`added ${added.at(-1)}`, 'searchable', 'done'])

        const engine = await open(data)
        try {
          for (let batch = 0; batch <= Math.max(...added); batch++) {
            const { results } = await engine.search(`batch${batch}`, { maxResults: 1000, snippetMaxLength: 0 })
            expect(results, `batch ${batch}`).toHaveLength(added.includes(batch) ? captures : 0)
            const page = await engine.page(`https://disk.example/${batch}/${captures - 1}`)
            expect(page === undefined, `batch ${batch}`).toBe(results.length === 0)
          }
          expect((await engine.stats()).captures).toBe(added.length * captures + (filledBy === 'merge' ? 1 : 0))
          expect(await engine.add([{ url: 'https://disk.example/last', text: 'last' }])).toMatchObject({ added: 1 })
        } finally {
          await engine.close()
        }
      } finally {
        await disk.remove()
      }
    },
  )
})
