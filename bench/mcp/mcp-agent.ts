import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Counts over the calls of all sessions so far. */
export interface CallFigures {
  /** Number of completed sessions. */
  sessions: number
  calls: number
  /** Number of calls whose answer reports a charge. */
  billed: number
  failures: string[]
  /** Duration of each call. */
  ms: number[]
}

const CALLS_PER_SESSION = 5
const MAX_FAILURES = 20

async function timedCall(client: Client, figures: CallFigures, query: string): Promise<string | undefined> {
  const startedMs = performance.now()
  const answer = await client.callTool({ name: 'search_web_pages', arguments: { query } })
  figures.ms.push(performance.now() - startedMs)
  figures.calls += 1
  if (answer._meta?.['service/usage'] !== undefined) figures.billed += 1
  return answer.isError ? JSON.stringify(answer.content) : undefined
}

/**
 * Runs one session after another with the official client until the time is over.
 *
 * @param reach.pauseMs - mean pause before each call; the pause varies from 0.5 to 1.5 times the mean.
 */
export async function agentLoop(
  reach: { url: string; key: string; mode: 'legacy' | 'auto'; pauseMs: number },
  queries: () => string,
  untilMs: number,
  figures: CallFigures,
): Promise<void> {
  while (performance.now() < untilMs) {
    const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: reach.mode } })
    try {
      await client.connect(
        new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: { 'X-API-Key': reach.key } } }),
      )
      await client.listTools()
      for (let call = 0; call < CALLS_PER_SESSION && performance.now() < untilMs; call += 1) {
        await sleep(reach.pauseMs * (0.5 + Math.random()))
        const failure = await timedCall(client, figures, queries())
        if (failure !== undefined && figures.failures.length < MAX_FAILURES) figures.failures.push(failure)
      }
      figures.sessions += 1
    } catch (error) {
      if (figures.failures.length < MAX_FAILURES) figures.failures.push(String(error))
    } finally {
      await client.close()
    }
  }
}
