import { performance } from 'node:perf_hooks'
import { queryString } from './http-question.ts'
import type { ServerProcess } from './http-server-process.ts'
import { bestOfRounds, interleave, percentile, sorted } from './measures.ts'
import { PlainClient } from './plain-client.ts'
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
  const client = await PlainClient.to(url)
  const bareClient = await PlainClient.to(await server.bareUrl())
  const overHttp = (asked: PlainClient) => async (question: Question) => {
    const path = `/v1/search/public?${queryString(question)}`
    const startedMs = performance.now()
    await asked.get(path, { 'x-service-title': 'bench' })
    return (performance.now() - startedMs) * 1e6
  }
  const askers = {
    engine: (question: Question) => server.ask(question),
    http: overHttp(client),
    bare: overHttp(bareClient),
  }
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
        for (const question of slice) ns[asker].push(await askers[asker](question))
        if (round > 0) cpuMs[asker] += ((await server.cpu()) - before) / 1e3
      }
      if (round === 0) continue
      times.engine.push(ns.engine)
      times.http.push(ns.http)
      times.bare.push(ns.bare)
    }
  } finally {
    client.close()
    bareClient.close()
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
