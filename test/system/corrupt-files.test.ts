import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, examine, isAsofError, open } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { END_AT, historyOf, play, spread } from '../core/repair/written-history.ts'
import { seed } from '../histories.ts'
import { randomNumbers } from './kill-nine-script.ts'

/** Number of damages of each kind of index, and number of them in one test. */
const DAMAGES = casesOf(100)
const SLICE = 50
const sessions = historyOf(seed, { sessions: 4, perSession: 40, ownWords: 250 })
const events = sessions.flat()

/** Calls on a damaged index: searches for words of all frequencies, and every page. */
const questions: ((engine: Engine) => Promise<unknown>)[] = [
  ...['amber cedar', '"iris hazel"', 'juniper -gorse site:site1.example', 'fern elder birch', 'nosuchword'].flatMap(
    query =>
      [END_AT, events[50]!.at, events[120]!.at].map(
        queryTime => async (engine: Engine) => (await engine.search(query, { queryTime })).results,
      ),
  ),
  ...events.map(event => (engine: Engine) => engine.page(event.url, { queryTime: event.at })),
  ...events.map(event => (engine: Engine) => engine.page(event.url)),
  ...events.flatMap(event =>
    event.kind === 'add' && event.alias ? [(engine: Engine) => engine.page(event.alias as string)] : [],
  ),
  async engine => {
    const { captures, urls } = await engine.stats()
    return { captures, urls }
  },
]

let root: string
/** Where most of the index is: in tables or in the log. */
const kinds = { tables: '', log: '' }
let right: unknown[]

async function ask(engine: Engine): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const question of questions) answers.push(await question(engine))
  return answers
}

const settings = { now: () => END_AT, mergePolicy: () => [], searchThreads: 0, onWarning: () => {} }

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-corrupt-'))
  kinds.tables = path.join(root, 'tables')
  for (const session of sessions) await play(kinds.tables, session, { merging: true })
  await spread(kinds.tables)
  kinds.log = path.join(root, 'log')
  await play(kinds.log, events, { merging: true })
  const engine = await open(await copyOf(kinds.log, path.join(root, 'right')), settings)
  right = await ask(engine)
  await engine.close()
})

afterAll(() => rm(root, { recursive: true, force: true }))

async function copyOf(from: string, to: string): Promise<string> {
  await cp(from, to, { recursive: true })
  return to
}

/** Damages one file of an index. @returns a description of the damage. */
async function harm(index: string, random: () => number): Promise<string> {
  const names = (await readdir(index)).filter(name => !/^LO/.test(name))
  // Each file has the same probability, whatever its size.
  const name = names[Math.floor(random() * names.length)]!
  const file = path.join(index, name)
  const { size } = await stat(file)
  const at = Math.floor(random() * size)
  const chance = random()
  if (chance < 0.05) {
    await rm(file)
    return `${name} removed`
  }
  const bytes = await readFile(file)
  if (chance < 0.15) {
    await writeFile(file, bytes.subarray(0, at))
    return `${name} cut at ${at} of ${size}`
  }
  if (chance < 0.3) {
    const length = Math.min(size - at, 1 + Math.floor(random() * 5000))
    bytes.fill(random() < 0.5 ? 0 : 0xff, at, at + length)
    await writeFile(file, bytes)
    return `${name} overwritten from ${at} for ${length} of ${size}`
  }
  bytes[at]! ^= 1 << Math.floor(random() * 8)
  await writeFile(file, bytes)
  return `${name} flipped at ${at} of ${size}`
}

describe(`an index with a damaged file (seed ${seed})`, () => {
  const slices = Array.from({ length: Math.ceil(DAMAGES / SLICE) }, (_, slice) => slice)
  it.each(slices.flatMap(slice => (['tables', 'log'] as const).map(kind => ({ kind, slice }))))(
    `gives correct answers or ASOF_STORE_CORRUPT for ${SLICE} damages of an index in its $kind, slice $slice`,
    async ({ kind, slice }) => {
      const random = randomNumbers(seed + slice)
      const outcomes = { refused: 0, met: 0, unharmed: 0 }
      for (let damage = 0; damage < SLICE; damage++) {
        const dir = await copyOf(kinds[kind], path.join(root, `${kind}-${slice}-${damage}`))
        const what = await harm(path.join(dir, 'index'), random)
        const isSound = (await examine(dir)).sound
        let engine: Engine | undefined
        try {
          engine = await open(dir, settings)
        } catch (error) {
          expect(isAsofError(error, 'ASOF_STORE_CORRUPT') ? 'ASOF_STORE_CORRUPT' : error, what).toBe(
            'ASOF_STORE_CORRUPT',
          )
          expect((error as Error).message, what).toContain('asof doctor --repair')
          expect(isSound, what).toBe(false)
          outcomes.refused++
        }
        let met = 0
        if (engine)
          for (const [i, question] of questions.entries())
            try {
              expect(await question(engine), `${what}, question ${i}`).toEqual(right[i])
            } catch (error) {
              if (!isAsofError(error, 'ASOF_STORE_CORRUPT')) throw error
              met++
            }
        await engine?.close()
        if (met > 0) {
          outcomes.met++
          expect(isSound, what).toBe(false)
        } else if (engine) outcomes.unharmed++
        await rm(dir, { recursive: true })
      }
      console.log(`${kind}: ${JSON.stringify(outcomes)}`)
      expect(outcomes.refused).toBeGreaterThan(SLICE / 10)
    },
  )
})
