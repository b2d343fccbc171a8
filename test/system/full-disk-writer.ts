import { writeSync } from 'node:fs'
import { statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isAsofError, open } from '../../core/index.ts'

/**
 * Fills the disk of an index, by adds or by a merge, and prints one line for each outcome: `added N`, `refused CODE`,
 * `warning MESSAGE`, `searchable` if this process finds all acknowledged captures, `full`. After a line on stdin it adds
 * more, which must succeed, and prints `done`. Arguments: folder, captures per add, `adds` or `merge`, number of the first
 * batch.
 */
const ROOM_FOR_NO_MERGE_BYTES = 2 * 1024 * 1024
const [dir, size, filledBy, first = '0'] = process.argv.slice(2)
let mayMerge = filledBy === 'adds'
let warned: () => void = () => {}
const warning = new Promise<void>(resolve => {
  warned = resolve
})
const engine = await open(dir!, {
  searchThreads: 1,
  onWarning: warning => {
    writeSync(1, `warning ${warning.message}\n`)
    warned()
  },
  mergePolicy:
    filledBy === 'merge'
      ? segments => (mayMerge && segments.length > 16 ? segments.map(({ id }) => id) : [])
      : undefined,
})
let next = Number(first)

async function add(): Promise<void> {
  const batch = next++
  await engine.add(
    Array.from({ length: Number(size) }, (_, i) => ({
      url: `https://disk.example/${batch}/${i}`,
      // Computed from the position, and hard to compress.
      text: `batch${batch} capture${batch}x${i} ${Array.from({ length: 150 }, (_, w) => hashed(batch, i, w)).join(' ')}`,
    })),
  )
  writeSync(1, `added ${batch}\n`)
}

const hashed = (...parts: number[]): string => {
  let state = 0x811c9dc5
  for (const part of parts) state = Math.imul(state ^ part, 0x01000193) ^ (state >>> 15)
  return (state >>> 0).toString(36)
}

/** Checks that this process finds acknowledged captures. */
async function prove(): Promise<void> {
  for (const batch of [0, 1, 2]) {
    const { results } = await engine.search(`batch${batch}`, { maxResults: 1000 })
    const page = await engine.page(`https://disk.example/${batch}/0`)
    if (results.length !== Number(size) || !page?.markdown.includes(`capture${batch}x0`))
      throw new Error(`batch ${batch} has ${results.length} results and page ${page?.url}`)
  }
  writeSync(1, 'searchable\n')
}

if (filledBy === 'adds')
  for (let refusals = 0; refusals < 5; )
    try {
      await add()
    } catch (error) {
      if (!isAsofError(error)) throw error
      refusals++
      writeSync(1, `refused ${error.code}\n`)
      await prove()
    }
else {
  for (let added = 0; added < 24; added++) await add()
  const { bavail, bsize } = await statfs(dir!)
  await writeFile(path.join(dir!, 'filler'), Buffer.alloc(bavail * bsize - ROOM_FOR_NO_MERGE_BYTES, 1))
  mayMerge = true
  await engine.add([{ url: 'https://disk.example/small', text: 'the commit that makes the merge begin' }])
  await warning
  await prove()
}
writeSync(1, 'full\n')
process.stdin.once('data', async () => {
  await prove()
  for (let i = 0; i < 20; i++) await add()
  await prove()
  writeSync(1, 'done\n')
  // Stays alive until the parent process kills it.
  setInterval(() => {}, 1000)
})
