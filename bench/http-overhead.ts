import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { queryString } from './http-question.ts'
import type { ServerProcess } from './http-server-process.ts'
import { bestOfRounds, interleave, percentile, sorted } from './measures.ts'
import type { Question } from './question.ts'

/** Of one search at a time; milliseconds. */
export interface OverheadFigures {
  engineP50Ms: number
  /** From the first byte of the request to the last of the answer. */
  httpP50Ms: number
  /** The same from Node's own server, which does nothing but search and answer: the client's and the system's share. */
  bareP50Ms: number
  overheadP50Ms: number
  /** CPU time of the server's process, the mean over all rounds; milliseconds a search. */
  engineCpuMs: number
  httpCpuMs: number
  bareCpuMs: number
}

const SLICE = 50

/** The same queries over one connection and in the server's own process, by turns. */
export async function overheadOf(
  server: ServerProcess,
  url: string,
  questions: Question[],
  rounds: number,
): Promise<OverheadFigures> {
  const client = new Client(url)
  const bareClient = new Client(await server.bareUrl())
  const timed = (asked: Client) => async (slice: Question[]) => {
    const ns: number[] = []
    for (const question of slice) {
      const startedMs = performance.now()
      await answerOf(asked, question)
      ns.push((performance.now() - startedMs) * 1e6)
    }
    return ns
  }
  const askers = { engine: (slice: Question[]) => server.ask(slice), http: timed(client), bare: timed(bareClient) }
  const times: Record<keyof typeof askers, number[][]> = { engine: [], http: [], bare: [] }
  const cpuMs: Record<keyof typeof askers, number> = { engine: 0, http: 0, bare: 0 }
  try {
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const ns: Record<keyof typeof askers, number[]> = { engine: [], http: [], bare: [] }
      for (const { engine: asker, slice } of interleave<keyof typeof askers, Question>(
        ['engine', 'http', 'bare'],
        questions,
        SLICE,
      )) {
        const before = await server.cpu()
        ns[asker].push(...(await askers[asker](slice)))
        if (round > 0) cpuMs[asker] += ((await server.cpu()) - before) / 1e3
      }
      if (round === 0) continue
      times.engine.push(ns.engine)
      times.http.push(ns.http)
      times.bare.push(ns.bare)
    }
  } finally {
    await client.close()
    await bareClient.close()
  }
  const p50Ms = (rounds: number[][]) => percentile(sorted(bestOfRounds(rounds)), 0.5) / 1e6
  const [engineP50Ms, httpP50Ms, bareP50Ms] = [p50Ms(times.engine), p50Ms(times.http), p50Ms(times.bare)]
  const asked = rounds * questions.length
  return {
    engineP50Ms,
    httpP50Ms,
    bareP50Ms,
    overheadP50Ms: httpP50Ms - engineP50Ms,
    engineCpuMs: cpuMs.engine / asked,
    httpCpuMs: cpuMs.http / asked,
    bareCpuMs: cpuMs.bare / asked,
  }
}

async function answerOf(client: Client, question: Question): Promise<string> {
  const { statusCode, body } = await client.request({
    method: 'GET',
    path: `/v1/search/public?${queryString(question)}`,
    headers: { 'x-service-title': 'bench' },
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`a search was answered ${statusCode}`)
  return text
}
