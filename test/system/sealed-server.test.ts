import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import { Access } from '../../service/accounts/index.ts'
import { createService, ServiceError } from '../../service/index.ts'
import { createServer, listen } from '../../transports/http/index.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { addCustomer } from '../service/accounts/accounts.ts'
import type { Given } from './sealed-fields.ts'
import type { SealedRequest } from './sealed-http.ts'
import { keyedRequest, openRequest } from './sealed-requests.ts'
import { LAST_AT, LATER_WORD, playWorld, randomNumbers, SEALED_AT } from './sealed-world.ts'

/** The number of requests of each kind. The published proof is a run with 25,000. */
const REQUESTS = casesOf(1_500)

/** The header fields that follow the real clock, as docs/time-travel.md lists them. */
const REAL_TIME_HEADERS = [
  'date',
  'x-request-id',
  'retry-after',
  'x-asof-usage',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  // How the bytes are sent is up to the HTTP server.
  'connection',
  'keep-alive',
]
/** The parts of receipts that say how the index is stored, and what acts on all of time. */
const WHOLE_INDEX_PARTS = ['segments', 'purged', 'dropped', 'retainedSince']

const HOST = 'search.example'
const agent = new Agent({ connections: 16 })

interface SealedServer {
  url: string
  /** A key. */
  key: string
  close(): Promise<void>
}

/**
 * Starts a server over the history up to an instant.
 *
 * @param seals - true if the whole server is sealed; otherwise its key is.
 */
async function startServer(until: number, seals: boolean): Promise<SealedServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-sealed-'))
  let clock = 0
  const engine = await open(dir, { now: () => clock, searchThreads: 0 })
  await playWorld(engine, until, at => {
    clock = at
  })
  const access = await Access.open(path.join(dir, 'access'), { now: () => clock })
  const { workspace } = await addCustomer(access, { rate_limit: 1_000_000, allowance: 1_000_000 })
  const sealed_at = seals ? undefined : new Date(SEALED_AT).toISOString()
  const { key } = (await access.administer('key.create', { workspace, sealed_at }, 'tests')) as { key: string }
  const fetchNothing = async () => {
    throw new ServiceError('target_unreachable', 'nothing was meant to be fetched')
  }
  const journal = { record: async () => ({ refetches: 1 }) }
  const whole = createService(engine, fetchNothing, { now: () => clock, journal })
  const app = createServer(seals ? whole.sealed(SEALED_AT) : whole, {
    access,
    engine: seals ? (engine.sealed(SEALED_AT) as Engine) : engine,
    hosts: [HOST],
    console: true,
    keylessLimits: { perSecond: 1_000_000, perHour: 1_000_000_000 },
    mcp: { verify: true, passages: true },
  })
  return {
    url: await listen(app, { host: '127.0.0.1', port: 0 }),
    key,
    close: async () => {
      await app.close()
      await access.close()
      await engine.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

interface Told {
  status: number
  headers: Record<string, unknown>
  body: string
}

async function ask(server: SealedServer, { method, path: target, headers, body }: SealedRequest): Promise<Told> {
  const sent = Object.entries(headers).map(([name, value]) => [name, value.replace(/^KEY(?=@|$)/, server.key)])
  const response = await request(`${server.url}${target}`, {
    method,
    dispatcher: agent,
    headers: { ...Object.fromEntries(sent), host: HOST },
    body,
  })
  return {
    status: response.statusCode,
    headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => !REAL_TIME_HEADERS.includes(name))),
    body: await response.body.text(),
  }
}

/** Leaves out what follows the real clock: the time that an answer took, the id of a request, the random mark around page text, the parts of {@link WHOLE_INDEX_PARTS}. */
function comparable({ status, headers, body }: Told): Told {
  const receipt = headers['x-asof-receipt']
  const rest =
    receipt === undefined
      ? headers
      : {
          ...headers,
          'x-asof-receipt': JSON.stringify(JSON.parse(String(receipt)), (name, value: unknown) =>
            WHOLE_INDEX_PARTS.includes(name) ? undefined : value,
          ),
        }
  // The durations of an explained answer have several lengths.
  const { 'content-length': _, ...withoutLength } = rest
  return {
    status,
    headers: withoutLength,
    body: body
      .replaceAll(/"(\w+_ms|response_time)":[\d.e-]+/g, '"$1":0')
      .replaceAll(/"request_id":"[^"]+"/g, '"request_id":""')
      .replaceAll(/web-content-[0-9a-f]{12}/g, 'web-content'),
  }
}

describe(`a sealed server (seed ${seed})`, () => {
  let sealed: SealedServer
  let past: SealedServer
  let withSealedKey: SealedServer

  beforeAll(async () => {
    sealed = await startServer(LAST_AT, true)
    past = await startServer(SEALED_AT, true)
    withSealedKey = await startServer(LAST_AT, false)
  }, 300_000)
  afterAll(async () => {
    for (const server of [sealed, past, withSealedKey]) await server?.close()
    await agent.close()
  })

  /** Sends generated requests to two servers, several at a time. Returns how often each status was answered. */
  async function compare(
    servers: readonly [SealedServer, SealedServer],
    make: (random: ReturnType<typeof randomNumbers>, given: Given) => SealedRequest,
  ): Promise<Record<number, number>> {
    const random = randomNumbers(seed)
    const given: Given = { cursors: [], after: [] }
    const statuses: Record<number, number> = {}
    let left = REQUESTS
    const lane = async () => {
      while (left-- > 0) {
        const asked = make(random, given)
        const [told, then] = (await Promise.all(servers.map(server => ask(server, asked)))) as [Told, Told]
        const compared = { asked, ...comparable(told) }
        expect(compared).toEqual({ asked, ...comparable(then) })
        expect(JSON.stringify([told.body, told.headers])).not.toMatch(leakIn(asked))
        statuses[told.status] = (statuses[told.status] ?? 0) + 1
        const next = /"next":"((?:[^"\\]|\\.)+)"/.exec(told.body)?.[1]
        if (next === undefined) continue
        const kept = asked.path.includes('history') ? given.after : given.cursors
        kept[random(20)] = JSON.parse(`"${next}"`) as string
      }
    }
    await Promise.all([1, 2, 3, 4].map(lane))
    return statuses
  }

  /** Matches what only the time after the seal can have told. A request that names it gets it back in the answer. */
  function leakIn({ path: target, body = '' }: SealedRequest): RegExp {
    return `${target}${body}`.toLowerCase().includes(LATER_WORD.slice(0, 4)) ? /$^/ : new RegExp(LATER_WORD, 'i')
  }

  it('tells everybody, byte for byte, what a server without any later observation tells', async () => {
    const statuses = await compare([sealed, past], openRequest)
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '302', '400', '404']))
  }, 3_600_000)

  it('tells the holder of a key the same', async () => {
    const statuses = await compare([sealed, past], (random, given) =>
      keyedRequest(random, given, { 'x-api-key': 'KEY' }),
    )
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '404']))
  }, 3_600_000)

  it('is told apart by nothing from a server that is not sealed but whose key is', async () => {
    const statuses = await compare([withSealedKey, past], (random, given) =>
      keyedRequest(random, given, { 'x-api-key': 'KEY' }),
    )
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '404']))
  }, 3_600_000)
})
