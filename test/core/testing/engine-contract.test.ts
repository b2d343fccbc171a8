import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AsofError, type Engine, open } from '../../../core/index.ts'
import { type ContractOptions, engineContract } from '../../../core/testing/index.ts'

let root: string
let opened = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-contract-'))
})
afterAll(async () => {
  await rm(root, { recursive: true })
})

const openBackup = (dir: string, { now }: ContractOptions): Promise<Engine> => open(dir, { now, searchThreads: 0 })
const openInMemory = ({ now }: ContractOptions): Promise<Engine> => open(':memory:', { now })

describe('the local engine', () => {
  engineContract({
    describe,
    it,
    open: ({ now }) => open(join(root, String(opened++)), { now, searchThreads: 0 }),
    openBackup,
  })
})

describe('the local engine in memory', () => {
  engineContract({ describe, it, open: openInMemory, openBackup })
})

/** Runs the tests of the contract whose title includes a text, by default all. @returns the titles of those that fail. */
async function failures(
  breakEngine: (engine: Engine) => Partial<Engine>,
  including = '',
  lacks?: readonly string[],
): Promise<string[]> {
  const tests: { title: string; body: () => Promise<void> }[] = []
  let group = ''
  engineContract({
    lacks,
    describe: (title, body) => {
      group = title
      body()
    },
    it: (title, body) => {
      const whole = `${group}: ${title}`
      if (whole.includes(including)) tests.push({ title: whole, body })
    },
    open: async options => {
      const engine = await openInMemory(options)
      return withMethods(engine, breakEngine(engine))
    },
  })
  const failed: string[] = []
  for (const { title, body } of tests)
    await body().catch(() => {
      failed.push(title)
    })
  return failed
}

/** An engine with some methods replaced. */
function withMethods(engine: Engine, replaced: Partial<Engine>): Engine {
  return new Proxy(engine, {
    get: (target, name: keyof Engine) => {
      const value: unknown = replaced[name] ?? target[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('the contract', () => {
  it('passes the local engine behind a wrapper that changes nothing', async () => {
    expect(await failures(() => ({}))).toEqual([])
  })

  it('fails an engine that ignores queryTime', async () => {
    const failed = await failures(engine => ({
      search: (query, { queryTime: _, ...options } = {}) => engine.search(query, options),
      page: (url, { queryTime: _, ...options } = {}) => engine.page(url, options),
    }))
    expect(failed).toEqual(
      expect.arrayContaining([
        'search: finds the text that was current at queryTime',
        'search: answers as of T exactly as an index that holds only the captures up to T',
        'page, versions, timeline and history: page returns text and metadata as of queryTime',
      ]),
    )
  })

  it('fails an engine that loses purges', async () => {
    const lost = 'seen, remove and purge: purge deletes a page from all of time'
    const failed = await failures(
      engine => ({ purge: async url => (await engine.timeline(url))?.versions.length ?? 0 }),
      lost,
    )
    expect(failed).toEqual([lost])
  })

  it('fails an engine that purges what is only to be removed', async () => {
    const lost = 'seen, remove and purge: remove ends a page from now on and leaves the past as it was'
    const failed = await failures(engine => ({ remove: async url => (await engine.purge(url)) > 0 }), lost)
    expect(failed).toEqual([lost])
  })

  it('fails an engine whose results have no fixed order', async () => {
    const failed = await failures(
      engine => ({
        search: async (query, options) => {
          const answer = await engine.search(query, options)
          return { ...answer, results: answer.results.toReversed() }
        },
      }),
      'search: orders by',
    )
    expect(failed).toContain('search: orders by score, then newer acquiredAt, then URL')
  })

  it('fails an engine that answers after it was closed', async () => {
    const failed = await failures(
      engine => ({ timeline: async () => undefined, stats: engine.stats.bind(engine) }),
      'close: ',
    )
    expect(failed).toContain('close: makes every later call reject with ASOF_CLOSED')
  })

  it('passes an engine that refuses what it says it lacks, and fails one that answers anyway', async () => {
    const unsupported = async (): Promise<never> => {
      throw new AsofError('ASOF_UNSUPPORTED', 'no suggestions here')
    }
    const lacks = ['suggest']
    const group = 'suggest: refuses'
    expect(await failures(() => ({ suggest: unsupported }), group, lacks)).toEqual([])
    const wrong = await failures(() => ({ suggest: async () => [] }), group, lacks)
    expect(wrong).toContain('suggest: refuses, because the engine lacks it: suggests nothing for a text without words')
    const [title = ''] = await failures(() => ({ suggest: unsupported }), 'suggest: ')
    expect(title).not.toBe('')
    expect(await failures(() => ({ suggest: unsupported }), title.slice(9), [title])).toEqual([])
  })

  it('fails an engine that says it lacks something of which the contract knows nothing', async () => {
    const named = 'what the engine lacks: is named as the contract names it'
    expect(await failures(() => ({}), named, ['sugest'])).toEqual([named])
    expect(await failures(() => ({}), named, ['suggest'])).toEqual([])
  })
})
