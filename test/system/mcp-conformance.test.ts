import { describe, expect, it } from 'vitest'
import { conformanceSuite, itPasses, withStatus } from './conformance-suite.ts'

/** The official suite, run offline against a server of ours: the scenarios that need none of the suite's own fixture tools. */
describe('the official conformance suite', () => {
  const run = conformanceSuite()

  itPasses(run, [
    ['2026-07-28', 'tools-list', 4],
    ['2026-07-28', 'http-header-validation', 14],
    ['2026-07-28', 'dns-rebinding-protection', 2],
    // A third check of it, about the form of session ids, has nothing to look at: there are no sessions.
    ['2025-11-25', 'server-initialize', 2],
    ['2025-11-25', 'ping', 2],
    ['2025-11-25', 'tools-list', 3],
    ['2025-11-25', 'dns-rebinding-protection', 2],
  ])

  it('passes 2026-07-28 server-stateless, but for four checks of tools that only its fixture has', async () => {
    const checks = await run('2026-07-28', 'server-stateless')
    const failed = withStatus(checks, 'FAILURE', 'WARNING')
    expect(
      failed.filter(({ errorMessage }) => !errorMessage?.startsWith('Not testable: server does not list')),
    ).toEqual([])
    expect([failed.length, withStatus(checks, 'SUCCESS').length]).toEqual([4, 24])
  })
})
