import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_FIELD_NAMES } from '../../../core/fields/field-types.ts'
import { type Engine, type Fields, type ObservationInput, type OpenOptions, open } from '../../../core/index.ts'
import { histories, seed } from '../../histories.ts'

const START_AT = Date.UTC(2024, 0, 1)
const options: OpenOptions = { now: () => START_AT + 1000, searchThreads: 0 }

const at = (ms: number): number => START_AT + ms
const page = (n: number, fields?: Fields, more: object = {}): ObservationInput => ({
  url: `https://a.example/${n}`,
  text: 'A lamp.',
  acquiredAt: at(n),
  fields,
  ...more,
})

/** The messages of the observations that were not added. */
async function refused(engine: Engine, observations: readonly ObservationInput[]): Promise<string[]> {
  return (await engine.add(observations)).failures.map(({ url, message }) => `${url} ${message}`)
}

describe('the type of a field', () => {
  let engine: Engine
  beforeEach(async () => {
    engine = await open(':memory:', options)
  })
  afterEach(() => engine.close())

  it('does not follow from a capture that was rejected', async () => {
    expect(
      await refused(engine, [page(1, { x: 'a' }, { title: 7 }), page(2, { x: 'a' }, { kind: 'no' })]),
    ).toHaveLength(2)
    expect(await refused(engine, [page(3, { x: 1 })])).toEqual([])
  })

  it('ends with the observation that had the last value', async () => {
    expect(await refused(engine, [page(1, { x: 'a', y: 'a' }), page(1)])).toEqual([])
    expect(await refused(engine, [page(2, { x: 1 })])).toEqual([])
    // An observation may also correct the type itself.
    expect(await refused(engine, [page(2, { x: true })])).toEqual([])
    expect(await refused(engine, [{ url: 'https://a.example/2', removedAt: at(2) }, page(3, { x: 'a' })])).toEqual([])
    expect(await engine.purge('https://a.example/3')).toBe(1)
    expect(await refused(engine, [page(4, { x: new Date(START_AT) })])).toEqual([])
  })

  it('stays while a superseded version, a revision or a repeated version has a value', async () => {
    await engine.add([page(1, { x: 'a' }), page(1, undefined, { acquiredAt: at(2), text: 'Another.' })])
    expect(await refused(engine, [page(9, { x: 1 })])).toHaveLength(1)
    // A revision that differs in nothing that filters read, and a sighting.
    await engine.add([page(3, { y: 'a' }), page(3, { y: 'a' }, { acquiredAt: at(4), siteName: 'The Site' })])
    await engine.add([{ url: 'https://a.example/3', seenAt: at(6), unchangedSince: at(4) }])
    const others = [3, 4].map(ms => page(3, undefined, { acquiredAt: at(ms), text: 'No lamp.' }))
    for (const other of others) expect(await refused(engine, [other, page(9, { y: 1 })])).toHaveLength(1)
    expect(await refused(engine, [page(3, undefined, { acquiredAt: at(6) }), page(9, { y: 1 })])).toEqual([])
  })

  it('ends when the last value expires', async () => {
    await engine.close()
    let now = at(1000)
    engine = await open(':memory:', { ...options, now: () => now, retain: '1d' })
    await engine.add([page(1, { x: 'a' }), page(1, undefined, { acquiredAt: at(2), text: 'Another.' })])
    now += 3 * 86_400_000
    const isAdded = async () => (await refused(engine, [page(2, { x: 1 })])).length === 0
    await expect.poll(isAdded, { timeout: 10_000 }).toBe(true)
  })

  it('is not needed by captures that were rejected: they use up no names', async () => {
    const named = (n: number, from: number) =>
      page(n, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${from + i}`, 1])))
    const bad = Array.from({ length: 20 }, (_, n) => ({ ...named(n, 5000 + n * 50), kind: 'no' }) as never)
    expect(await refused(engine, bad)).toHaveLength(20)
    const all = Array.from({ length: MAX_FIELD_NAMES / 50 }, (_, n) => named(n, n * 50))
    expect(await refused(engine, all)).toEqual([])
    expect(await refused(engine, [page(99, { more: 1 })])).toEqual([
      'https://a.example/99 fields.more is new; an index has at most 1000 fields',
    ])
    // The first page gives its 50 names back.
    expect(await refused(engine, [page(0), page(99, { more: 1 }), page(98, { f0: 'a' })])).toEqual([])
  })

  it('leaves no trace of a URL all of whose observations were rejected', async () => {
    await engine.add([page(1, { x: 'a' })])
    expect(await refused(engine, [page(2, { x: 1 }, { aliases: ['https://alias.example/'] })])).toHaveLength(1)
    expect((await engine.export()).observations).toHaveLength(1)
    expect(await engine.page('https://alias.example/')).toBeUndefined()
  })
})

const url = fc.constantFrom('https://a.example/1', 'https://a.example/2', 'https://b.example/')
const instant = fc.nat(5).map(at)
const value = fc.constantFrom<Fields[string]>('a', 1, true, new Date(START_AT), ['b', 'c'], [2, 3])
const observation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        url,
        acquiredAt: instant,
        text: fc.constantFrom('A lamp.', 'Another.'),
        siteName: fc.constantFrom('One', 'Two'),
        fields: fc.dictionary(fc.constantFrom('x', 'y'), value, { maxKeys: 2 }),
      },
      { requiredKeys: ['url', 'acquiredAt', 'text'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ url, removedAt: instant }) },
  { weight: 1, arbitrary: fc.record({ url, seenAt: fc.constant(at(5)), unchangedSince: fc.nat(4).map(at) }) },
) as fc.Arbitrary<ObservationInput>
const action = fc.oneof(
  { weight: 6, arbitrary: fc.array(observation, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: url },
)

/** Plays actions, lists of observations to add and URLs to purge, and returns what was refused, what is there, and what fits. */
async function played(
  actions: readonly (string | ObservationInput[])[],
  { each, whole }: { each: 'running' | 'reopened'; whole: boolean },
): Promise<{ problems: string[]; observations: ObservationInput[]; unfit: string[] }> {
  const dir = each === 'reopened' ? await mkdtemp(path.join(tmpdir(), 'asof-types-')) : ':memory:'
  let engine = await open(dir, options)
  const add = async (observations: readonly ObservationInput[]): Promise<string[]> => {
    if (each === 'reopened') {
      await engine.close()
      engine = await open(dir, options)
    }
    return refused(engine, observations)
  }
  try {
    const problems: string[] = []
    for (const action of actions) {
      if (typeof action === 'string') await engine.purge(action)
      else for (const part of whole ? [action] : action.map(one => [one])) problems.push(...(await add(part)))
    }
    const { observations } = await engine.export({ maxResults: 1000 })
    const probes = ['x', 'y'].flatMap(name => ['a', 1, true].map(one => ({ [name]: one })))
    return { problems, observations, unfit: await add(probes.map((fields, n) => page(n, fields))) }
  } finally {
    await engine.close()
    if (each === 'reopened') await rm(dir, { recursive: true })
  }
}

describe(`the types of an index (seed ${seed})`, () => {
  it('are the same while it runs and when it is reopened, whatever is added together', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), async actions => {
        const running = await played(actions, { each: 'running', whole: true })
        expect(await played(actions, { each: 'reopened', whole: true })).toEqual(running)
        expect(await played(actions, { each: 'running', whole: false })).toEqual(running)
      }),
      { numRuns: histories, seed },
    )
  }, 900_000)

  it('are those of an export that is imported into an empty index', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), async actions => {
        const { observations, unfit } = await played(actions, { each: 'running', whole: true })
        const copy = await played([observations], { each: 'running', whole: true })
        expect(copy).toEqual({ problems: [], observations, unfit })
      }),
      { numRuns: histories, seed },
    )
  }, 900_000)
})
