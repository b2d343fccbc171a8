import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { LimitedWorkers } from '../../../core/threads/limited-workers.ts'
import { TaskWatch } from '../../../core/threads/task-watch.ts'

const dir = mkdtempSync(join(tmpdir(), 'asof-workers-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Runs the steps of its task: hangs, sleeps, fills its memory, fails, or sleeps before its first step. Without steps it returns its thread. */
const file = join(dir, 'worker.mjs')
writeFileSync(
  file,
  `import { threadId } from 'node:worker_threads'
  import { TaskWatch } from ${JSON.stringify(new URL('../../../core/threads/task-watch.ts', import.meta.url).href)}
  const spin = ms => { for (const end = performance.now() + ms; performance.now() < end; ); }
  const rest = ms => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  export default ({ task, watch: memory }) => {
    const watch = new TaskWatch(memory)
    task.forEach((what, step) => {
      if (what.before) rest(what.before)
      watch.begin(step, what.limit ?? 60_000)
      if (what.spin) spin(what.spin)
      if (what.rest) rest(what.rest)
      if (what.fail) throw new Error('told to')
      if (what.fill) for (const all = []; ; ) all.push(new Array(1000).fill({}).map(() => ({})))
    })
    watch.end()
    if (task.at(-1)?.after) rest(task.at(-1).after)
    return task.length || threadId
  }`,
)

interface Step {
  before?: number
  limit?: number
  spin?: number
  rest?: number
  fail?: true
  fill?: true
  after?: number
}

let workers: LimitedWorkers<Step[]>
const started = (threads: number) => {
  workers = new LimitedWorkers<Step[]>(pathToFileURL(file), { threads, heapMb: 32, idleMs: 1000 })
  return workers
}
afterEach(() => workers.abort())

describe('limited workers', () => {
  it('end a step that exceeds its limit, report which, and run the other tasks', async () => {
    const pool = started(1)
    const [hung, behind] = await Promise.allSettled([
      pool.run<number>([{}, {}, { limit: 50, spin: 60_000 }]),
      pool.run<number>([{}]),
    ])
    expect(hung).toMatchObject({ status: 'rejected', reason: { name: 'TaskFailure', reason: 'time', step: 2 } })
    expect(behind).toEqual({ status: 'fulfilled', value: 1 })
  })

  it('do not limit the time before the first step and after the last', async () => {
    const pool = started(2)
    const late = { limit: 1000, before: 1100 }
    const long = { limit: 1000, after: 1100 }
    expect(await Promise.all([pool.run<number>([late]), pool.run<number>([long])])).toEqual([1, 1])
  })

  it('limit each step separately', async () => {
    const steps = Array.from({ length: 4 }, () => ({ limit: 1000, rest: 300 }))
    expect(await started(1).run<number>(steps)).toBe(4)
  })

  it('end a task that exceeds the memory of its thread, and replace the thread', async () => {
    const pool = started(1)
    await expect(pool.run([{}, { fill: true }])).rejects.toMatchObject({ reason: 'memory', step: 1 })
    expect(await pool.run<number>([{}])).toBe(1)
  })

  it('settle every task that runs out of memory at about the end of its time', async () => {
    const pool = started(2)
    const limits = Array.from({ length: 12 }, (_, i) => 20 + 20 * i)
    const ends = await Promise.allSettled(limits.map(limit => pool.run([{ limit, fill: true }])))
    for (const end of ends)
      expect(end).toMatchObject({ reason: { reason: expect.stringMatching(/^(?:time|memory)$/) } })
    expect(await pool.run<number>([{}])).toBe(1)
  })

  it('distinguish a task that throws from one that was ended', async () => {
    const pool = started(1)
    await expect(pool.run([{ fail: true }])).rejects.toMatchObject({ reason: 'error', step: 0, message: 'told to' })
  })

  it.each([
    { keptThreads: 0, threads: 1 },
    { keptThreads: 1, threads: 2 },
  ])('reject every task if their module does not load ($keptThreads of $threads kept)', async limits => {
    const broken = join(dir, 'broken.mjs')
    writeFileSync(broken, `import './missing.mjs'\nexport default () => {}`)
    workers = new LimitedWorkers(pathToFileURL(broken), { ...limits, heapMb: 32, idleMs: 1000 })
    const failure = { reason: { code: 'ASOF_WORKER_FAILED', message: expect.stringContaining('missing.mjs') } }
    const tasks = Array.from({ length: 5 }, () => workers.run([]))
    expect(await Promise.allSettled(tasks)).toMatchObject(tasks.map(() => failure))
    await expect(workers.run([])).rejects.toMatchObject(failure.reason)
  })

  it('start again once their module loads', async () => {
    const mended = join(dir, 'mended.mjs')
    workers = new LimitedWorkers(pathToFileURL(mended), { threads: 1, keptThreads: 1, heapMb: 32, idleMs: 1000 })
    await expect(workers.run([])).rejects.toMatchObject({ code: 'ASOF_WORKER_FAILED' })
    writeFileSync(mended, 'export default () => 7')
    expect(await workers.run<number>([])).toBe(7)
  })

  it('end when idle on request, also those that are kept, and start again', async () => {
    workers = new LimitedWorkers<Step[]>(pathToFileURL(file), { threads: 1, keptThreads: 1, heapMb: 32, idleMs: 0 })
    const first = await workers.run<number>([])
    const inHand = workers.run<number>([])
    workers.shrinkIdle()
    expect(await inHand).toBe(first)
    workers.shrinkIdle()
    expect(await workers.run<number>([])).not.toBe(first)
  })

  it('reject tasks that wait when they are closed, or come later', async () => {
    const pool = started(1)
    const inHand = pool.run<number>([{ spin: 20 }])
    const waits = pool.run<number>([{}])
    const [, , waited] = await Promise.allSettled([pool.close(), inHand, waits])
    expect(await inHand).toBe(1)
    expect(waited).toMatchObject({ status: 'rejected', reason: { code: 'ASOF_CLOSED' } })
    await expect(pool.run([{}])).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })
})

describe('a watch', () => {
  it('is visible to all threads that share its memory', () => {
    const mine = new TaskWatch()
    const theirs = new TaskWatch(mine.memory)
    expect([mine.step, mine.isOverdue]).toEqual([undefined, false])
    theirs.begin(3, 60_000)
    expect([mine.step, mine.isOverdue]).toEqual([3, false])
    theirs.begin(4, -1)
    expect([mine.step, mine.isOverdue]).toEqual([4, true])
    theirs.end()
    expect([mine.step, mine.isOverdue]).toEqual([4, false])
  })
})
