import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { noLimits, type RunningServer, startServer } from '../transports/http/running-server.ts'
import { checksOf, withStatus } from './conformance-suite.ts'

// What our tools never make the route carry, the suite's do: they stand in for ours behind the same route.
vi.mock('../../transports/mcp/tool-server.ts', async () => {
  const { conformanceServer } = await import('./conformance-tools.ts')
  return { createToolServer: conformanceServer }
})

describe("the official conformance suite, with the suite's own tools behind our route", () => {
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

  it.each([
    ['2026-07-28', 'server-stateless', 28],
    ['2026-07-28', 'http-custom-header-server-validation', 10],
    ['2026-07-28', 'server-sse-multiple-streams', 1],
    ['2026-07-28', 'tools-call-simple-text', 2],
    ['2026-07-28', 'tools-call-mixed-content', 2],
    ['2026-07-28', 'tools-call-embedded-resource', 2],
    ['2026-07-28', 'tools-call-audio', 2],
    ['2026-07-28', 'tools-call-error', 2],
    ['2026-07-28', 'tools-call-with-progress', 2],
    ['2025-11-25', 'tools-call-simple-text', 2],
    ['2025-11-25', 'tools-call-image', 2],
    ['2025-11-25', 'tools-call-error', 2],
    ['2025-11-25', 'tools-call-with-logging', 2],
    ['2025-11-25', 'tools-call-with-progress', 2],
  ])('passes %s %s: %i checks', async (revision, scenario, count) => {
    const checks = await checksOf(`${server.url}/mcp`, { scenario, revision, out })
    expect(withStatus(checks, 'FAILURE', 'WARNING')).toEqual([])
    expect(withStatus(checks, 'SUCCESS')).toHaveLength(count)
  })
})
