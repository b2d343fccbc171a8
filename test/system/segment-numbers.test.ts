import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import { Stream } from '../../core/segment/streams.ts'
import { chunkKey } from '../../core/store/keys.ts'
import { secondValues } from '../core/leveldb/second-values.ts'

const [segmentKind] = chunkKey(0, Stream.index, 0)
const core = pathToFileURL(path.join(import.meta.dirname, '../../core/index.ts')).href
// CommonJS, because the flag for a module would also apply to the file of the merge thread.
const mergeAtOnce = `
  import(${JSON.stringify(core)}).then(({ open }) =>
    open(process.env.DIR, { searchThreads: 0, mergePolicy: segments => segments.map(({ id }) => id) }),
  )
  setTimeout(() => {}, 600_000)
`

/** Adds captures that are analyzed and committed one by one. */
async function addSome(engine: Engine, name: string): Promise<void> {
  for (let i = 0; i < 5; i++)
    await engine.add([{ url: `https://a.example/${name}/${i}`, text: `${name} ${i} of common words` }])
}

it('the number of a merge that a crash interrupted is never used for another segment', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-numbers-'))
  const settings = { mergePolicy: () => [], searchThreads: 0 }
  try {
    const first = await open(dir, settings)
    await addSome(first, 'first')
    await first.close()
    const failpoints = path.join(import.meta.dirname, 'failpoints.ts')
    const killed = await new Promise<unknown>(resolve => {
      execFile(
        process.execPath,
        ['--import', failpoints, '--eval', mergeAtOnce],
        { env: { ...process.env, DIR: dir, ASOF_TEST_STEPS: 'merge-4-ready-to-swap:1:kill' } },
        error => resolve(error?.signal),
      )
    })
    expect(killed).toBe('SIGKILL')
    const second = await open(dir, settings)
    await addSome(second, 'second')
    await second.close()
    // If a key had two values, damage to the newer one could restore the older one, whose checksum is valid.
    expect(await secondValues(path.join(dir, 'index'), ([kind]) => kind === segmentKind)).toEqual([])
  } finally {
    await rm(dir, { recursive: true })
  }
})
