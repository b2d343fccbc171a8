import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examine, open } from '../../core/index.ts'
import { conceptEmbedder } from '../core/models/concept-embedder.ts'

const imports = (name: string) => JSON.stringify(pathToFileURL(path.resolve(import.meta.dirname, name)).href)

/** Adds two pages without a model, then two more with a model, in two commits, then the missing vectors. */
const writer = `
  import { open } from ${imports('../../core/index.ts')}
  import { conceptEmbedder } from ${imports('../core/models/concept-embedder.ts')}
  const settings = { mergePolicy: () => [], searchThreads: 0, onWarning: () => {} }
  const add = (engine, name) => engine.add([{ url: 'https://' + name + '.example/', text: name }])
  const before = await open(process.env.DIR, settings)
  await add(before, 'canine')
  await add(before, 'physician')
  await before.close()
  const engine = await open(process.env.DIR, { ...settings, embed: conceptEmbedder() })
  for (const name of ['automobile', 'stone'])
    await add(engine, name).then(() => console.log('added'), error => console.log(error.code))
  await engine.embed().then(() => console.log('embedded'), error => console.log(error.code))
  const { results } = await engine.search('car')
  const { vectors } = await engine.stats()
  console.log(JSON.stringify({ first: results[0]?.url, vectors }))
  await engine.close()
`

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-kill-vectors-'))
})
afterEach(() => rm(dir, { recursive: true }))

function write(steps: string): Promise<{ signal: unknown; said: string[] }> {
  const failpoints = path.join(import.meta.dirname, 'failpoints.ts')
  return new Promise(resolve => {
    execFile(
      process.execPath,
      ['--import', failpoints, '--input-type=module', '--eval', writer],
      { env: { ...process.env, DIR: dir, ASOF_TEST_STEPS: steps } },
      (error, stdout) => {
        const said = stdout.split('\n').filter(line => line !== '' && !line.startsWith('step '))
        resolve({ signal: error?.signal, said })
      },
    )
  })
}

/** Checks that the index opens, has no problem, and contains these numbers of captures and vectors. */
async function expectAfter(captures: number, vectors: number): Promise<void> {
  const engine = await open(dir, { searchThreads: 0, embed: conceptEmbedder() })
  expect(await engine.stats()).toMatchObject({ captures, vectors })
  await engine.close()
  expect(await examine(dir)).toMatchObject({ sound: true })
}

describe('vectors of a process that is killed', () => {
  // The third and fourth commits contain vectors.
  it.each([
    ['commit-2-prepared:3:kill', [], 2, 0],
    ['commit-3-written:3:kill', [], 3, 1],
    ['commit-4-applied:3:kill', [], 3, 1],
    ['commit-2-prepared:4:kill', ['added'], 3, 1],
    ['commit-3-written:4:kill', ['added'], 4, 2],
  ])('at %s are stored together with their capture or not at all', async (steps, expected, captures, vectors) => {
    const { signal, said } = await write(steps)
    expect(signal).toBe('SIGKILL')
    expect(said).toEqual(expected)
    await expectAfter(captures, vectors)
  })

  it('are all stored without a kill', async () => {
    const { said } = await write('')
    expect(said).toEqual(['added', 'added', 'embedded', '{"first":"https://automobile.example/","vectors":4}'])
    await expectAfter(4, 4)
  })
})

describe('vectors of a failed write', () => {
  // The fifth write is that of the second page with a vector. Either nothing of it reaches the disk or all of it.
  it.each([
    ['write-1-begin:5:fail', 3],
    ['write-2-end:5:fail', 4],
  ])('at %s are those of the stored captures, both in memory and on disk', async (steps, kept) => {
    const { said } = await write(steps)
    const told = `{"first":"https://automobile.example/","vectors":${kept}}`
    expect(said).toEqual(['added', 'ASOF_STORE_WRITE', 'embedded', told])
    await expectAfter(kept, kept)
  })
})
