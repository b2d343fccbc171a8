import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ExtractPool, extract } from '../../extract/extract-pool.ts'

const url = 'https://a.example/x'
const pool = new ExtractPool({ maxProcesses: 1 })
afterAll(() => pool.close())

/** The child processes of `pid`, from Linux's process file system. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(child => child > 0 && parentOf(child) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    // The process has ended.
    return undefined
  }
}

const isRunning = (pid: number): boolean => parentOf(pid) !== undefined

/** A page that takes longer than a few milliseconds on any machine. */
const slow = '<p>word, word</p>'.repeat(400_000)

describe('ExtractPool', () => {
  it('extracts the same page as extractPage', async () => {
    const page = await pool.run(Buffer.from('<title>T</title><p>a <b>b</b>'), { url })
    expect(page).toEqual({
      title: 'T',
      robots: { noindex: false, nofollow: false },
      markdown: 'a **b**',
      links: [],
      data: [],
    })
  })

  it("does not change the caller's bytes", async () => {
    const body = new TextEncoder().encode('<p>a')
    await pool.run(body, { url })
    expect(new TextDecoder().decode(body)).toBe('<p>a')
  })

  it('rejects with an AsofError of the child process', async () => {
    await expect(pool.run('GIF', { url, contentType: 'image/gif' })).rejects.toMatchObject({
      name: 'AsofError',
      code: 'ASOF_UNSUPPORTED_TYPE',
      retryable: false,
    })
  })

  it('stops a page that exceeds its time limit, and extracts the next one', async () => {
    await expect(pool.run(slow, { url, timeoutMs: 20 })).rejects.toMatchObject({
      code: 'ASOF_EXTRACT_TIMEOUT',
      details: { url, timeoutMs: 20 },
    })
    expect((await pool.run('<p>a', { url })).markdown).toBe('a')
  })

  it('does not count the wait for a process as time of the page', async () => {
    await pool.run('<p>a', { url })
    const timeoutMs = 1000
    const start = performance.now()
    const ahead = [1, 2].map(() => pool.run(slow, { url, timeoutMs: 60_000 }))
    const behind = pool.run('<p>a', { url, timeoutMs })
    await Promise.all(ahead)
    expect(performance.now() - start).toBeGreaterThan(timeoutMs)
    expect((await behind).markdown).toBe('a')
  })

  it('rejects a page over the memory limit and one over the time limit with the same error', async () => {
    const small = new ExtractPool({ maxProcesses: 1, maxHeapMb: 64 })
    const limits = { timeoutMs: 60_000, heapMb: 64 }
    const memory = await small.run(slow, { url, timeoutMs: 60_000 }).catch((error: Error) => error)
    const time = await small.run(slow, { url, timeoutMs: 20 }).catch((error: Error) => error)
    expect(memory).toMatchObject({ code: 'ASOF_EXTRACT_TIMEOUT', details: { url, ...limits } })
    expect(time).toMatchObject({ code: 'ASOF_EXTRACT_TIMEOUT', details: { url, ...limits, timeoutMs: 20 } })
    expect((memory as Error).message.replace('60000', '20')).toBe((time as Error).message)
    expect((await small.run('<p>a', { url })).markdown).toBe('a')
    await small.close()
  })

  it('finishes the running page on close, and rejects waiting and later ones', async () => {
    const closing = new ExtractPool({ maxProcesses: 1 })
    const running = closing.run('<p>a', { url })
    const waiting = closing.run('<p>b', { url })
    await Promise.all([
      closing.close(),
      expect(running).resolves.toMatchObject({ markdown: 'a' }),
      expect(waiting).rejects.toMatchObject({ code: 'ASOF_CLOSED' }),
    ])
    await expect(closing.run('<p>c', { url })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await closing.close()
  })

  it('rejects limits out of range', () => {
    for (const [field, value] of [
      ['maxProcesses', 0],
      ['maxHeapMb', 63],
    ] as const)
      expect(() => new ExtractPool({ [field]: value })).toThrow(
        expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field } }),
      )
  })

  it.runIf(process.platform === 'linux')('ends its processes if their parent is killed', async () => {
    const module = new URL('../../extract/extract-pool.ts', import.meta.url).href
    const script = `import { extract } from ${JSON.stringify(module)}
      await extract('<p>a', { url: ${JSON.stringify(url)} })
      console.log('ready')
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script])
    await once(parent.stdout, 'data')
    const children = childrenOf(parent.pid as number)
    parent.kill('SIGKILL')
    expect(children).toHaveLength(1)
    await expect.poll(() => children.filter(isRunning), { timeout: 30_000 }).toEqual([])
  })
})

describe('extract', () => {
  it('shares one pool among all callers', async () => {
    const pages = await Promise.all(['a', 'b', 'c'].map(text => extract(`<p>${text}`, { url })))
    expect(pages.map(page => page.markdown)).toEqual(['a', 'b', 'c'])
  })

  it("lets a script end that doesn't close the pool", async () => {
    const module = new URL('../../extract/extract-pool.ts', import.meta.url).href
    const script = `import { extract } from ${JSON.stringify(module)}
      console.log((await extract('<p>done', { url: ${JSON.stringify(url)} })).markdown)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 120_000,
    })
    expect(stdout.trim()).toBe('done')
  })
})
