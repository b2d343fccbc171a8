import { performance } from 'node:perf_hooks'
import { bestOfRounds, percentile, sorted } from '../apparatus/percentiles.ts'
import { interleave } from '../apparatus/turns.ts'
import type { Question } from '../questions/question.ts'
import { queryString } from './http-question.ts'
import type { ServerProcess } from './http-server-process.ts'
import { PlainClient } from './plain-client.ts'

export const lanes = ['engine', 'socket', 'bare', 'http', 'keyed', 'plan'] as const

/**
 * How a search reaches the engine: by a direct call in the server's process; over a plain socket without HTTP or JSON, which is the
 * cost of the system and the client; through Node's HTTP server, which only searches and answers; through asof's HTTP server
 * without a key, with a key, and on an agent's plan. The last two are charged, and the charge is on disk before the answer.
 */
export type Lane = (typeof lanes)[number]

/** Milliseconds of one search at a time, from the first byte of the request to the last byte of the answer. */
export interface LaneFigures {
  p50Ms: number
  /** Mean CPU time of the server's process over all rounds, user and system. */
  cpuMs: number
  /** The share of the main thread, which limits the requests per second. */
  mainThreadCpuMs: number
}

export type OverheadFigures = Record<Lane, LaneFigures>

type Asker = (question: Question) => Promise<number>

const SLICE = 50
/** Number of searches that warm up each lane, since V8 keeps optimizing for some thousand requests. */
const WARM_UP_REQUESTS = 3_000

/** The credentials of the charged lanes. */
export interface Credentials {
  /** An API key. */
  key: string
  /** The token of an agent with a plan. */
  token: string
}

/** Sends the same queries through each lane, by turns. */
export async function overheadOf(
  server: ServerProcess,
  url: string,
  { key, token }: Credentials,
  questions: Question[],
  rounds: number,
): Promise<OverheadFigures> {
  const clients: PlainClient[] = []
  const askerAt = async (
    url: string,
    route = '/v1/search/public',
    headers: Record<string, string> = { 'x-service-title': 'bench' },
  ): Promise<Asker> => {
    const client = await PlainClient.to(url)
    clients.push(client)
    return async question => {
      const path = `${route}?${queryString(question)}`
      const startedMs = performance.now()
      await client.get(path, headers)
      return (performance.now() - startedMs) * 1e6
    }
  }
  const askers: Record<Lane, Asker> = {
    engine: question => server.ask(question),
    socket: await askerAt(await server.socketUrl()),
    bare: await askerAt(await server.bareUrl()),
    http: await askerAt(url),
    keyed: await askerAt(url, '/v1/search', { 'x-api-key': key }),
    plan: await askerAt(url, '/v1/storefront/search', { authorization: `Bearer ${token}` }),
  }
  const times = ofEachLane<number[][]>(() => [])
  const cpu = ofEachLane(() => ({ process: 0, mainThread: 0 }))
  const warmUpRounds = Math.ceil(WARM_UP_REQUESTS / questions.length)
  try {
    for (let round = -warmUpRounds; round < rounds; round++) {
      const ns = ofEachLane<number[]>(() => [])
      for (const { engine: lane, slice } of interleave<Lane, Question>(lanes, questions, SLICE)) {
        const before = await server.cpu()
        for (const question of slice) ns[lane].push(await askers[lane](question))
        if (round < 0) continue
        const after = await server.cpu()
        cpu[lane].process += after.process - before.process
        cpu[lane].mainThread += after.mainThread - before.mainThread
      }
      if (round >= 0) for (const lane of lanes) times[lane].push(ns[lane])
    }
  } finally {
    for (const client of clients) client.close()
  }
  const searches = rounds * questions.length
  return ofEachLane(lane => ({
    p50Ms: percentile(sorted(bestOfRounds(times[lane])), 0.5) / 1e6,
    cpuMs: cpu[lane].process / searches / 1e3,
    mainThreadCpuMs: cpu[lane].mainThread / searches / 1e3,
  }))
}

function ofEachLane<T>(make: (lane: Lane) => T): Record<Lane, T> {
  return Object.fromEntries(lanes.map(lane => [lane, make(lane)])) as Record<Lane, T>
}
