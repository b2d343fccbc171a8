import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Access } from '../../../service/accounts/index.ts'
import { type CrawlActName, type Crawls, crawlActs, crawlAnswers, progressOf } from '../../../service/crawls/index.ts'
import { ServiceError } from '../../../service/index.ts'
import { type Administrators, actorOf, admitAdministrators, isAdministrator } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer, requestIdHeader } from '../schema/route-schema.ts'

/** Time between two looks at the crawls. */
const LOOK_MS = 1_000
/** Number of looks without news after which a comment keeps the connection open. */
const QUIET_LOOKS = 15
/** Number of looks after which a stream ends. Browsers open it again, and show their session again. */
const MAX_LOOKS = 600
/** Time after which a stream has certainly ended. */
const STREAM_MS = 2 * MAX_LOOKS * LOOK_MS
/** Number of streams that may be open. */
const MAX_STREAMS = 32

/** The acts in the audit log. Each returns the name of the crawl. */
const recorded: ReadonlySet<CrawlActName> = new Set(['start', 'resume', 'stop'])

const readFailures = [...always, 'unauthorized', 'not_found'] as const
const changeFailures = [...readFailures, 'payload_too_large', 'address_refused'] as const

function schemaOf(act: CrawlActName) {
  const { method, summary, input } = crawlActs[act]
  const done = { 200: jsonAnswer(summary, crawlAnswers[act]) }
  const described = {
    operationId: `admin_crawls_${act}`,
    summary: `Administration: ${summary}`,
    security: [{ AdminToken: [] }],
  }
  return method === 'GET'
    ? { ...described, querystring: input, responses: { ...done, ...failures(readFailures) } }
    : { ...described, body: input, responses: { ...done, ...failures(changeFailures) } }
}

const events = {
  operationId: 'admin_crawls_events',
  summary: 'Administration: the progress of all running crawls, as server-sent events',
  description:
    'An event `running` has `{"running": […]}`: each running crawl with its report so far, at most once a second, when something changed.',
  security: [{ AdminToken: [] }],
  responses: {
    200: {
      description: 'A stream of events, which ends after ten minutes, and with the session of the browser.',
      headers: requestIdHeader,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    ...failures([...always, 'unauthorized']),
  },
}

/**
 * Adds the routes with which an operator starts, watches and stops crawls. All of them need the admin token.
 *
 * @param access - has the audit log, if the server has accounts.
 */
export function addCrawlRoutes(
  app: App,
  { crawls, access }: { crawls: Crawls; access: Access | undefined },
  administrators: Administrators,
): void {
  admitAdministrators(app, administrators)
  for (const act of Object.keys(crawlActs) as CrawlActName[]) {
    app.route({
      method: crawlActs[act].method,
      url: `/admin/crawls/${act}`,
      exposeHeadRoute: false,
      schema: schemaOf(act),
      handler: async request => {
        const done = await crawlActs[act].perform(crawls, request.body ?? request.query)
        if (recorded.has(act) && 'name' in done)
          await access?.record({ actor: actorOf(request), act: `crawls.${act}`, target: String(done.name) })
        return done
      },
    })
  }

  let streams = 0
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  async function* progress(reply: FastifyReply): AsyncGenerator<Uint8Array> {
    const { request } = reply
    const gone = new AbortController()
    const leave = () => gone.abort()
    reply.raw.once('close', leave)
    // A reply that waits behind another one on its connection gets no `close` event.
    request.socket.once('close', leave)
    const ended = AbortSignal.any([closing.signal, gone.signal])
    const encoder = new TextEncoder()
    let before = ''
    let quiet = 0
    streams += 1
    try {
      for (let look = 0; look < MAX_LOOKS && !ended.aborted; look++) {
        // The session may have ended meanwhile.
        if (!isAdministrator(request, administrators)) return
        const running = JSON.stringify({ running: crawls.running.map(progressOf) })
        quiet = running === before ? quiet + 1 : 0
        if (quiet === 0) yield encoder.encode(`event: running\ndata: ${running}\n\n`)
        else if (quiet % QUIET_LOOKS === 0) yield encoder.encode(': quiet\n\n')
        before = running
        await sleep(LOOK_MS, undefined, { signal: ended }).catch(() => undefined)
      }
    } finally {
      request.socket.off('close', leave)
      streams -= 1
    }
  }

  app.get(
    '/admin/crawls/events',
    { schema: events, exposeHeadRoute: false, handlerTimeout: STREAM_MS },
    async (_request, reply) => {
      if (streams >= MAX_STREAMS)
        throw new ServiceError('overloaded', 'Too many streams of events are open.', { retryAfterSeconds: 10 })
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
      return reply.send(new Response(ReadableStream.from(progress(reply)), { headers }))
    },
  )
}
