import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../core/index.ts'

let root: string
let folders = 0
const opened: Engine[] = []

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-iterables-'))
})

afterEach(() => Promise.all(opened.splice(0).map(engine => engine.close())))

afterAll(() => rm(root, { recursive: true, force: true }))

/** Opens an engine that is closed after the test. */
async function fresh(dir = path.join(root, String(folders++))): Promise<Engine> {
  const engine = await open(dir)
  opened.push(engine)
  return engine
}

describe('an iterable of captures', () => {
  it('that throws makes `add` reject with its error, and captures acknowledged earlier are kept', async () => {
    const engine = await fresh()
    await engine.add([{ url: 'https://a.example/before', text: 'acknowledged before' }])
    function* failing(): Generator<CaptureInput> {
      for (let i = 0; i < 5000; i++) yield { url: `https://a.example/${i}`, text: `midway ${i}` }
      throw new RangeError('the source broke')
    }
    await expect(engine.add(failing())).rejects.toThrow(new RangeError('the source broke'))
    expect((await engine.search('acknowledged')).results).toHaveLength(1)
    // Only complete batches are committed; a batch has 4,096 captures.
    expect((await engine.stats()).captures).toBe(4097)
    expect(await engine.add([{ url: 'https://a.example/after', text: 'after' }])).toMatchObject({ added: 1 })
  })

  it('that never ends is closed when it is canceled, and the engine keeps working', async () => {
    const engine = await fresh()
    let released = false
    const cancelled = new AbortController()
    async function* endless(): AsyncGenerator<CaptureInput> {
      try {
        for (let i = 0; ; i++) {
          await new Promise(resolve => setImmediate(resolve))
          cancelled.signal.throwIfAborted()
          if (i === 200) cancelled.abort(new Error('enough'))
          yield { url: `https://a.example/${i}`, text: `endless ${i}` }
        }
      } finally {
        released = true
      }
    }
    await expect(engine.add(endless())).rejects.toThrow('enough')
    expect(released).toBe(true)
    expect(await engine.add([{ url: 'https://a.example/after', text: 'after' }])).toMatchObject({ added: 1 })
  })

  it.each(['text', 'html'] as const)('that never ends is closed when the engine closes: %s', async kind => {
    const engine = await open(path.join(root, String(folders++)))
    let released = false
    let reached: () => void = () => {}
    const started = new Promise<void>(resolve => {
      reached = resolve
    })
    async function* endless(): AsyncGenerator<CaptureInput> {
      try {
        for (let i = 0; ; i++) {
          if (i === 300) reached()
          await new Promise(resolve => setImmediate(resolve))
          yield { url: `https://a.example/${i}`, [kind]: `<p>endless ${i} ${'more '.repeat(200)}` }
        }
      } finally {
        released = true
      }
    }
    const adding = engine.add(endless())
    adding.catch(() => {})
    await started
    await engine.close()
    await expect(adding).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    expect(released).toBe(true)
    const again = await fresh(path.join(root, String(folders - 1)))
    expect((await again.stats()).captures % 4096).toBe(0)
  })

  it('that is faster than the merges waits for a merge at 128 segments, then continues', async () => {
    const dir = path.join(root, String(folders++))
    const engine = await open(dir, {
      mergePolicy: segments => (segments.length < 128 ? [] : segments.slice(0, 8).map(({ id }) => id)),
    })
    opened.push(engine)
    for (let i = 0; i < 150; i++) await engine.add([{ url: `https://a.example/${i}`, text: `one of many ${i}` }])
    const stats = await engine.stats()
    expect(stats.captures).toBe(150)
    expect(stats.segments).toBeLessThanOrEqual(129)
  })
})
