import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Engine, examine, open, repair, upgrade } from '../../core/index.ts'

const page = (number: number, text: string) => ({ url: `https://example.com/${number}`, text })

describe('an index in memory', () => {
  let dir: string
  const opened: Engine[] = []
  const opens = async (...args: Parameters<typeof open>): Promise<Engine> => {
    const engine = await open(...args)
    opened.push(engine)
    return engine
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-memory-'))
  })
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
    await rm(dir, { recursive: true })
  })

  it('creates no file', async () => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(dir)
    try {
      const engine = await opens(':memory:')
      await engine.add([page(1, 'time travel')])
      expect((await engine.search('time')).results).toHaveLength(1)
      await engine.close()
    } finally {
      cwd.mockRestore()
    }
    expect(await readdir(dir)).toEqual([])
    expect(existsSync(':memory:')).toBe(false)
  })

  it('is new each time, and is not seen by another', async () => {
    const [one, other] = [await opens(':memory:'), await opens(':memory:')]
    await one.add([page(1, 'time travel')])
    expect((await one.stats()).captures).toBe(1)
    expect((await other.stats()).captures).toBe(0)
    await one.close()
    expect((await (await opens(':memory:')).stats()).captures).toBe(0)
  })

  it('never exists before: with `create: false` it is missing', async () => {
    await expect(open(':memory:', { create: false })).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
  })

  it('checks the options that an index in a folder checks', async () => {
    const searchThreads = -1
    await expect(open(':memory:', { searchThreads })).rejects.toMatchObject({ details: { field: 'searchThreads' } })
  })

  it('is gone when it is closed', async () => {
    const engine = await opens(':memory:')
    const sealed = engine.sealed(Date.now() - 1000)
    await engine.close()
    await expect(engine.search('time')).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await expect(sealed.search('time')).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('answers on the calling thread where search threads are asked for', async () => {
    const engine = await opens(':memory:', { searchThreads: 2 })
    await engine.add([page(1, 'time travel')])
    const answers = await Promise.all(Array.from({ length: 8 }, () => engine.search('time')))
    expect(answers.map(({ results }) => results.length)).toEqual(Array(8).fill(1))
  })

  it('merges its segments, and frees what purges delete', async () => {
    const engine = await opens(':memory:')
    const text = 'a page that is purged '.repeat(2_000)
    for (let number = 0; number < 40; number++) await engine.add([page(number, `${text} ${number}`)])
    await expect.poll(async () => (await engine.stats()).segments).toBeLessThan(20)
    const before = await engine.stats()
    for (let number = 1; number < 40; number++) await engine.purge(page(number, '').url)
    expect(await engine.stats()).toMatchObject({ captures: 1, urls: 1 })
    // A merge that is under way has its values twice.
    await expect.poll(async () => (await engine.stats()).bytes).toBeLessThan(before.bytes!)
    expect((await engine.search('purged')).results.map(({ url }) => url)).toEqual([page(0, '').url])
  })

  it('lets timers run between its calls, so that a long one can be aborted', async () => {
    const engine = await opens(':memory:')
    await engine.add(Array.from({ length: 3_000 }, (_, number) => page(number, `time ${number}`)))
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const signal = AbortSignal.timeout(1)
    const report = await engine
      .removeAll({ prefix: 'https://example.com/' }, { signal })
      .catch((error: unknown) => error)
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(0)
    expect(report).not.toMatchObject({ finished: true })
  })

  it('goes on when a merge policy throws, or chooses what there is not or again and again', async () => {
    const warnings: Error[] = []
    const failing = await opens(':memory:', {
      mergePolicy: () => {
        throw new Error('no policy')
      },
      onWarning: warning => warnings.push(warning),
    })
    expect(await failing.add([page(1, 'time travel')])).toMatchObject({ added: 1 })
    expect(warnings[0]).toMatchObject({ message: 'no policy' })
    for (const mergePolicy of [
      () => [999],
      (segments: readonly { id: number }[]) => segments.slice(0, 1).map(({ id }) => id),
    ]) {
      const engine = await opens(':memory:', { mergePolicy })
      await engine.add([page(1, 'time travel')])
      await new Promise(resolve => setTimeout(resolve, 1))
      expect((await engine.search('time')).results).toHaveLength(1)
      await engine.close()
    }
  })

  it('is not where a backup, a repair or an upgrade can be', async () => {
    const engine = await opens(':memory:')
    for (const call of [
      () => engine.backup(':memory:'),
      () => examine(':memory:'),
      () => repair(':memory:'),
      () => upgrade(':memory:'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field: 'dir' } })
    expect(existsSync(':memory:')).toBe(false)
  })

  it('stops a merge under way when it is closed', async () => {
    const engine = await opens(':memory:', {
      mergePolicy: segments => (segments.length > 1 ? segments.map(({ id }) => id) : []),
    })
    for (let number = 0; number < 10; number++) await engine.add([page(number, `time travel ${number}`)])
    await engine.close()
  })

  it('is written to a folder by a backup, which has what it had when the backup began', async () => {
    let clock = Date.UTC(2024, 0, 1)
    const now = () => clock++
    const engine = await opens(':memory:', { now, mergePolicy: () => [] })
    await engine.add([page(1, 'time travel'), page(2, 'travel by train')])
    await engine.add([{ ...page(1, 'time stands'), aliases: ['https://example.com/one'] }])
    await engine.remove(page(2, '').url)
    let adding: Promise<unknown> | undefined
    const onProgress = (): void => {
      adding ??= engine.add([page(3, 'later')])
    }
    const report = await engine.backup(join(dir, 'copy'), { onProgress })
    await adding
    expect(report).toMatchObject({ captures: 3, urls: 2 })
    expect(await examine(join(dir, 'copy'))).toMatchObject({ sound: true, problems: [], strays: 0 })
    const copy = await opens(join(dir, 'copy'), { now, searchThreads: 0 })
    expect((await copy.search('later')).results).toEqual([])
    for (const query of ['time', 'travel train']) {
      const queryTime = report.instant
      const [ours, theirs] = [await engine.search(query, { queryTime }), await copy.search(query, { queryTime })]
      expect(theirs.results).toEqual(ours.results)
    }
    expect(await copy.page('https://example.com/one')).toMatchObject({ url: page(1, '').url })
  })

  it('ends a backup that is aborted, and leaves no folder', async () => {
    const engine = await opens(':memory:')
    await engine.add([page(1, 'time travel')])
    const signal = AbortSignal.abort()
    await expect(engine.backup(join(dir, 'copy'), { signal })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    expect(await readdir(dir)).toEqual([])
  })
})
