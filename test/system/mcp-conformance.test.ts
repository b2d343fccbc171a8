import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noLimits, type RunningServer, startServer } from '../transports/http/running-server.ts'
import { checksOf, withStatus } from './conformance-suite.ts'

/** The official suite, run offline against a server of ours: the scenarios that need none of the suite's own fixture tools. */
describe('the official conformance suite', () => {
  let server: RunningServer
  let out: string
  beforeAll(async () => {
    out = await mkdtemp(path.join(tmpdir(), 'asof-conformance-'))
    server = await startServer({ http: { keylessLimits: noLimits } })
  })
  afterAll(async () => {
    await server.close()
    await rm(out, { recursive: true, force: true })
  })

  const run = (scenario: string, revision: string) => checksOf(`${server.url}/mcp`, { scenario, revision, out })

  it.each([
    ['2026-07-28', 'tools-list', 4],
    ['2026-07-28', 'http-header-validation', 14],
    ['2026-07-28', 'dns-rebinding-protection', 2],
    // A third check of it, about the form of session ids, has nothing to look at: there are no sessions.
    ['2025-11-25', 'server-initialize', 2],
    ['2025-11-25', 'ping', 2],
    ['2025-11-25', 'tools-list', 3],
    ['2025-11-25', 'dns-rebinding-protection', 2],
  ])('passes %s %s: %i checks', async (revision, scenario, count) => {
    const checks = await run(scenario, revision)
    expect(withStatus(checks, 'FAILURE', 'WARNING')).toEqual([])
    expect(withStatus(checks, 'SUCCESS')).toHaveLength(count)
  })

  it('passes 2026-07-28 server-stateless, but for four checks of tools that only its fixture has', async () => {
    const checks = await run('server-stateless', '2026-07-28')
    const failed = withStatus(checks, 'FAILURE', 'WARNING')
    expect(
      failed.filter(({ errorMessage }) => !errorMessage?.startsWith('Not testable: server does not list')),
    ).toEqual([])
    expect([failed.length, withStatus(checks, 'SUCCESS').length]).toEqual([4, 24])
  })
})
