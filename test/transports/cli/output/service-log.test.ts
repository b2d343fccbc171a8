import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AsofError } from '../../../../core/index.ts'
import { openServiceLog, type ServiceLog } from '../../../../transports/cli/output/service-log.ts'
import type { LogLevel } from '../../../../transports/cli/settings/server-settings.ts'

describe('the log of a server', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-log-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  async function written(level: LogLevel, write: (log: ServiceLog) => void): Promise<Record<string, unknown>[]> {
    const file = path.join(dir, level)
    const log = openServiceLog(file, level)
    write(log)
    await log.close()
    const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line !== '')
    return lines.map(line => JSON.parse(line) as Record<string, unknown>)
  }

  const request = { requestId: 'r-1', method: 'GET', route: '/v1/search', status: 200, durationMs: 1.5 }
  const quoting = new SyntaxError(`Unexpected token in "my query"`, { cause: 'my query' })

  it('has a JSON line for each request', async () => {
    const [line] = await written('info', log => log.answered({ ...request, organization: 'org_1' }))
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      ...request,
      organization: 'org_1',
      msg: 'answered',
    })
  })

  it('escapes what a terminal would obey, without changing it', async () => {
    const message = 'a\u001b[2J\u009b2J\u202eb\u2028c\u200f'
    const file = path.join(dir, 'escaped')
    const log = openServiceLog(file, 'debug')
    log.failed(new Error(message), {})
    await log.close()
    const text = await readFile(file, 'utf8')
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]|\p{Bidi_Control}/u)
    expect(JSON.parse(text)).toMatchObject({ failure: { message } })
  })

  it.each([
    ['silent', 0],
    ['error', 1],
    ['info', 2],
  ] as const)('at level %s has %i lines for a request and a failure', async (level, count) => {
    const lines = await written(level, log => {
      log.answered(request)
      log.failed(quoting, { requestId: 'r-1' })
    })
    expect(lines).toHaveLength(count)
  })

  it('omits messages of foreign errors, which may quote a caller, except at level debug', async () => {
    const fail = (log: ServiceLog) => log.failed(quoting, { requestId: 'r-1' })
    const [line] = await written('info', fail)
    expect(JSON.stringify(line)).not.toContain('my query')
    expect(line).toMatchObject({ requestId: 'r-1', failure: { type: 'SyntaxError', cause: { type: 'string' } } })
    expect((line!.failure as { stack: string[] }).stack[0]).toContain('service-log.test.ts')
    expect(JSON.stringify(await written('debug', fail))).toContain('my query')
  })

  it('has the code and message of errors of asof, but no message of their foreign cause', async () => {
    const failure = new AsofError('ASOF_STORE_READ', "the accounts can't be read", { cause: new Error('secret') })
    const [line] = await written('error', log => log.failed(failure, { requestId: 'r-1' }))
    expect(line).toMatchObject({ failure: { code: 'ASOF_STORE_READ', message: "the accounts can't be read" } })
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  it('handles an error that is its own cause', async () => {
    const endless = new Error('round')
    endless.cause = endless
    expect(await written('error', log => log.failed(endless, { requestId: 'r-1' }))).toHaveLength(1)
  })
})
