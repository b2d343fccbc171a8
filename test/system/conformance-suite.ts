import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerFor } from '../../transports/mcp/index.ts'
import { noLimits, type RunningServer, startServer } from '../transports/http/running-server.ts'

const suite = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** One check of a scenario, as the suite reports it. */
export interface Check {
  id: string
  status: string
  errorMessage?: string
}

/** Runs a scenario of a protocol revision. @returns its checks. */
export type RunScenario = (revision: string, scenario: string) => Promise<Check[]>

/**
 * Prepares runs of the official suite, which needs no network, against a server that runs during the surrounding tests.
 *
 * @param serverFor - tools to serve instead of asof's.
 */
export function conformanceSuite(serverFor?: ServerFor): RunScenario {
  let server: RunningServer
  let out: string
  beforeAll(async () => {
    out = await mkdtemp(path.join(tmpdir(), 'asof-conformance-'))
    server = await startServer({ http: { keylessLimits: noLimits, mcp: serverFor ? { serverFor } : {} } })
  })
  afterAll(async () => {
    await server.close()
    await rm(out, { recursive: true, force: true })
  })
  return async (revision, scenario) => {
    const folder = path.join(out, `${revision}-${scenario}`)
    const url = `${server.url}/mcp`
    const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', folder]
    // The exit code only reports that a check failed; the file names the check.
    await new Promise(resolve => execFile(process.execPath, [suite, ...args], resolve))
    const [file] = globSync('**/checks.json', { cwd: folder })
    if (file === undefined) throw new Error(`${scenario} left no checks`)
    return JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Check[]
  }
}

export function withStatus(checks: readonly Check[], ...statuses: string[]): Check[] {
  return checks.filter(({ status }) => statuses.includes(status))
}

/** Declares a test for each scenario. The number of checks is compared, because a scenario without any check passes, too. */
export function itPasses(run: RunScenario, scenarios: [revision: string, scenario: string, count: number][]): void {
  it.each(scenarios)('passes %s %s: %i checks', async (revision, scenario, count) => {
    const checks = await run(revision, scenario)
    expect(withStatus(checks, 'FAILURE', 'WARNING')).toEqual([])
    expect(withStatus(checks, 'SUCCESS')).toHaveLength(count)
  })
}
