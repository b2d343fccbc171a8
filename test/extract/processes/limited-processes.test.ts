import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { LimitedProcesses } from '../../../extract/processes/limited-processes.ts'

const dir = mkdtempSync(join(tmpdir(), 'asof-processes-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Does what a task names. Each of the ways to fill memory aborts a whole process when a worker thread does it. */
const file = join(dir, 'process.mjs')
writeFileSync(
  file,
  `import { renameSync, writeFileSync } from 'node:fs'
  import { serveParentProcess } from '${new URL('../../../extract/processes/parent-process.ts', import.meta.url)}'
  const kept = []
  const does = {
    answer: () => process.pid,
    secret: () => process.env.ASOF_TEST_SECRET ?? 'none',
    fail: () => { throw new Error('as asked') },
    hang: () => { for (;;); },
    hangKnown: () => { writeFileSync(process.ppid + '.tmp', String(process.pid)); renameSync(process.ppid + '.tmp', process.ppid + '.pid'); for (;;); },
    exit: () => process.exit(0),
    map: () => { const map = new Map(); for (let i = 0; ; i++) map.set('k' + i, i) },
    arrays: () => { for (;;) kept.push(new Array(1_000_000).fill(kept.length + 0.5)) },
    split: () => { for (const text = 'ab '.repeat(1_000_000); ; ) kept.push(text.split(' ')) },
    buffers: () => { for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1)) },
  }
  const parent = serveParentProcess({ run: async task => {
    await parent.notify('begun')
    return does[task]()
  } })`,
)

/** A parent whose process hangs in a task, once it has written its id to a file. */
const parentFile = join(dir, 'parent.mjs')
writeFileSync(
  parentFile,
  `import { LimitedProcesses } from '${new URL('../../../extract/processes/limited-processes.ts', import.meta.url)}'
  const pool = new LimitedProcesses(new URL('${pathToFileURL(file)}'), { processes: 1, heapMb: 64, idleMs: 60_000 })
  void pool.run('hangKnown', 60_000)`,
)

let pool: LimitedProcesses<string, unknown>
const started = (limits: { processes?: number; idleMs?: number } = {}) => {
  pool = new LimitedProcesses(pathToFileURL(file), { processes: 1, heapMb: 64, idleMs: 60_000, ...limits })
  return pool
}
afterEach(() => pool.close())
const PATIENT_MS = 60_000

describe('LimitedProcesses', () => {
  it('runs tasks one after another in the same process', async () => {
    const first = await started().run('answer', PATIENT_MS)
    expect(first).not.toBe(process.pid)
    expect(await pool.run('answer', PATIENT_MS)).toBe(first)
  })

  it.each(['map', 'arrays', 'split'])('ends only the task that exceeds the heap (%s)', async way => {
    const [filled, next] = await Promise.allSettled([started().run(way, PATIENT_MS), pool.run('answer', PATIENT_MS)])
    expect(filled).toMatchObject({ reason: { name: 'TaskFailure', reason: 'memory' } })
    expect(next).toMatchObject({ status: 'fulfilled' })
  })

  it.runIf(process.platform === 'linux')('ends a task that takes the memory outside the heap', async () => {
    await expect(started().run('buffers', PATIENT_MS)).rejects.toMatchObject({ reason: 'memory' })
  })

  it('ends a task that exceeds its time', async () => {
    await expect(started().run('hang', 50)).rejects.toMatchObject({ reason: 'time' })
    expect(await pool.run('answer', PATIENT_MS)).toBeTypeOf('number')
  })

  it('ends the process of a task whose signal aborts, and takes the next task', async () => {
    const abort = new AbortController()
    const first = (await started().run('answer', PATIENT_MS)) as number
    const hanging = pool.run('hang', PATIENT_MS, abort.signal)
    const waiting = pool.run('hang', PATIENT_MS, abort.signal)
    abort.abort(new Error('nobody waits'))
    await expect(hanging).rejects.toThrow('nobody waits')
    await expect(waiting).rejects.toThrow('nobody waits')
    expect(isRunning(first)).toBe(false)
    expect(await pool.run('answer', PATIENT_MS)).not.toBe(first)
  })

  it('reports what a task throws, and keeps its process', async () => {
    const first = await started().run('answer', PATIENT_MS)
    await expect(pool.run('fail', PATIENT_MS)).rejects.toMatchObject({ reason: 'error', message: 'as asked' })
    expect(await pool.run('answer', PATIENT_MS)).toBe(first)
  })

  it('fails a task whose process exits', async () => {
    await expect(started().run('exit', PATIENT_MS)).rejects.toMatchObject({ name: 'TaskFailure' })
  })

  it('runs a task in another process when the idle one was killed meanwhile', async () => {
    const first = (await started().run('answer', PATIENT_MS)) as number
    process.kill(first, 'SIGKILL')
    expect(await pool.run('answer', PATIENT_MS)).not.toBe(first)
  })

  it('keeps the environment of its parent from its processes', async () => {
    process.env.ASOF_TEST_SECRET = 'secret'
    try {
      expect(await started().run('secret', PATIENT_MS)).toBe('none')
    } finally {
      delete process.env.ASOF_TEST_SECRET
    }
  })

  it('ends processes that are idle', async () => {
    const first = (await started({ idleMs: 0 }).run('answer', PATIENT_MS)) as number
    await expect.poll(() => isRunning(first), { timeout: PATIENT_MS }).toBe(false)
  })

  it.each(['SIGKILL', 'SIGHUP', 'SIGQUIT'] as const)(
    'a process that is busy with a task ends when its parent is ended by %s',
    async signal => {
      const parent = spawn(process.execPath, [parentFile], { cwd: dir, stdio: 'inherit' })
      const idFile = join(dir, `${parent.pid}.pid`)
      await expect.poll(() => existsSync(idFile), { timeout: PATIENT_MS }).toBe(true)
      const id = Number(readFileSync(idFile, 'utf8'))
      expect(isRunning(id)).toBe(true)
      parent.kill(signal)
      await once(parent, 'close')
      await expect.poll(() => isRunning(id), { timeout: 10_000 }).toBe(false)
    },
  )

  it('reports a module that does not start', async () => {
    pool = new LimitedProcesses(pathToFileURL(join(dir, 'missing.mjs')), { processes: 1, heapMb: 64, idleMs: 0 })
    await expect(pool.run('answer', PATIENT_MS)).rejects.toMatchObject({ code: 'ASOF_WORKER_FAILED' })
  })

  it('when closed, finishes the running task and rejects those that wait or come later', async () => {
    const running = started().run('answer', PATIENT_MS)
    const waiting = pool.run('answer', PATIENT_MS)
    const [, , waited] = await Promise.allSettled([pool.close(), running, waiting])
    expect(await running).toBeTypeOf('number')
    expect(waited).toMatchObject({ reason: { code: 'ASOF_CLOSED' } })
    await expect(pool.run('answer', PATIENT_MS)).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended stays in the table until its new parent takes note of it.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
