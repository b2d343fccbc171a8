import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'

let root: string
let folders = 0
const opened: Engine[] = []

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-open-'))
})

afterEach(() => Promise.all(opened.splice(0).map(engine => engine.close())))

afterAll(() => rm(root, { recursive: true, force: true }))

/** Opens an engine that is closed after the test. */
async function fresh(dir = path.join(root, String(folders++))): Promise<Engine> {
  const engine = await open(dir)
  opened.push(engine)
  return engine
}

describe('a closed engine', () => {
  it('rejects every call except `close`', async () => {
    const engine = await open(path.join(root, String(folders++)))
    await Promise.all([engine.close(), engine.close()])
    await engine.close()
    const calls: (() => Promise<unknown>)[] = [
      () => engine.add([{ url: 'https://a.example/', text: 'a' }]),
      () => engine.search('a'),
      () => engine.page('https://a.example/'),
      () => engine.remove('https://a.example/'),
      () => engine.purge('https://a.example/'),
      () => engine.stats(),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('completes each call made before `close` or rejects it as closed, and leaves none pending', async () => {
    const engine = await open(path.join(root, String(folders++)))
    const url = 'https://a.example/'
    await engine.add([{ url, text: 'first' }])
    const calls = Array.from({ length: 20 }, (_, i) => [
      engine.add([{ url: `${url}${i}`, text: `text ${i}` }]),
      engine.add([{ url: `${url}h${i}`, html: `<p>html ${i}` }]),
      engine.search('first'),
      engine.page(url),
      engine.remove(`${url}${i}`),
      engine.purge(`${url}${i - 1}`),
      engine.stats(),
    ]).flat()
    const settled = Promise.allSettled<unknown>(calls)
    await engine.close()
    for (const outcome of await settled)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ASOF_CLOSED' })
  })
})

describe('an open folder', () => {
  it('cannot be opened again in the same process by any spelling of its path until it is closed', async () => {
    const dir = path.join(root, String(folders++))
    const first = await fresh(dir)
    await first.add([{ url: 'https://a.example/', text: 'still here' }])
    const link = path.join(root, `link${folders}`)
    await symlink(dir, link)
    for (const spelling of [dir, `${dir}/`, path.relative(process.cwd(), dir), `${dir}/../${path.basename(dir)}`, link])
      await expect(open(spelling), spelling).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    expect((await first.search('here')).results).toHaveLength(1)
    await first.close()
    const second = await fresh(link)
    expect((await second.search('here')).results).toHaveLength(1)
  })

  it('is opened by only one of two simultaneous calls', async () => {
    const dir = path.join(root, String(folders++))
    const outcomes = await Promise.allSettled([fresh(dir), fresh(dir)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(outcome => outcome.status === 'rejected')?.reason).toMatchObject({ code: 'ASOF_STORE_LOCKED' })
  })
})
