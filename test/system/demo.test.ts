import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Finished, RunningCommand, run, temporaryFolder } from './running-command.ts'

describe('asof demo', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string
  beforeAll(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
  })
  afterAll(() => folder.remove())

  /** Returns the output of the search under a heading. */
  function searchUnder(heading: RegExp, { stdout }: Finished): string {
    const from = stdout.search(heading)
    expect(from).toBeGreaterThan(-1)
    const next = stdout.indexOf('\n$ asof', stdout.indexOf('\n$ asof', from) + 1)
    return stdout.slice(from, next === -1 ? undefined : next)
  }

  it('crawls, imports, searches in three ways and exits with 0 if run with --once, also on an existing folder', async () => {
    for (let round = 1; round <= 2; round += 1) {
      const demo = await run(['demo', '--once', '--data', data])
      expect(demo.stderr).not.toContain('asof:')
      expect(demo.code).toBe(0)

      expect(demo.stdout).toMatch(/\d+ fetched .* 0 failed/s)
      expect(demo.stdout).toMatch(
        round === 1 ? /[1-9]\d+ added, 0 unchanged, 0 failed/ : / 0 added, [1-9]\d+ unchanged, 0 failed/,
      )

      const bySite = searchUnder(/^One site/m, demo)
      expect(bySite).toContain('https://www.npmjs.com/package/piscina')
      expect(bySite).toMatch(/\*\*[Ww]orker\*\*/)
      const byWindow = searchUnder(/^A published window/m, demo)
      expect(byWindow).toMatch(/\/notes\/time-is-an-ordinal-range\n {3}published 2025-05-20/)
      const now = searchUnder(/^The roadmap, as of now/m, demo)
      const then = searchUnder(/^The same question as of/m, demo)
      expect(now.replace(/\s+/g, ' ')).toContain('tool server for agents')
      expect(then).toMatch(/--query-time /)
      expect(then.replace(/\s+/g, ' ')).not.toContain('tool server for agents')
      expect(then).toContain('/roadmap')
    }
  })

  it('then serves, prints commands that work, and stops on Ctrl-C', async () => {
    const demo = new RunningCommand(['demo', '--port', '0', '--data', data])
    try {
      const [, url] = await demo.shows('stdout', /listening on (\S+)\n/)
      const commands = demo.stdout.split('\n').filter(line => line.trim().startsWith('curl '))
      expect(commands.length).toBeGreaterThanOrEqual(4)
      for (const command of commands) {
        const { stdout } = await shell(command)
        const answer = JSON.parse(stdout)
        expect(answer).not.toHaveProperty('error')
        if (Array.isArray(answer.results)) expect(answer.results.length).toBeGreaterThan(0)
      }
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      expect((await stat(path.join(data, 'asof.sock'))).isSocket()).toBe(true)
    } finally {
      demo.signal('SIGINT')
    }
    expect((await demo.finished).code).toBe(0)
  })
})

function shell(command: string): Promise<{ stdout: string }> {
  return promisify(execFile)('sh', ['-c', command], { maxBuffer: 1 << 24 })
}
