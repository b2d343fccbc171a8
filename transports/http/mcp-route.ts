import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Delivery, LimitStanding } from '../access/index.ts'
import type { Answerer, McpEndpoint, ToolCaller, VerifyToken } from '../mcp/index.ts'
import { type Service, ServiceError } from '../service/index.ts'
import { clientOf } from './client-call.ts'
import { readJsonBody } from './json-body.ts'
import { identify, type McpIdentification } from './mcp-caller.ts'
import type { McpSettings } from './mcp-settings.ts'
import { type ProtectedResource, protectedResourceOf } from './protected-resource.ts'
import { refuseRebinding } from './rebinding.ts'
import type { HttpSettings } from './settings.ts'
import { webRequest } from './web-request.ts'

type Mcp = typeof import('../mcp/index.ts')

/** What the route leans on, loaded when the first request comes: most servers are asked for nothing of it for long. */
interface Loaded {
  mcp: Mcp
  endpoint: McpEndpoint
  verifyToken: VerifyToken | undefined
}

export interface McpRouteParts {
  service: Service
  /** Those of the server. */
  settings: HttpSettings
  mcpSettings: McpSettings
  /** Counts a request of a client without a key, in the same pool as the keyless routes. */
  byAddress: (address: string) => Promise<LimitStanding>
}

function isToolCall(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'
}

/**
 * How many calls of tools a body holds: 0 or 1. A message that is no such call costs nothing and is not limited.
 *
 * @throws ServiceError invalid_request - more than one, as a batch of revision 2025-03-26 might.
 */
function callsIn(body: unknown): number {
  const calls = Array.isArray(body) ? body.filter(isToolCall).length : Number(isToolCall(body))
  if (calls > 1) throw new ServiceError('invalid_request', 'Send one tools/call in a request.')
  return calls
}

/** E8: Streamable HTTP at `/mcp`, with the access, limits and ledger of the other routes. */
export function addMcpRoute(app: FastifyInstance, { service, settings, mcpSettings, byAddress }: McpRouteParts): void {
  const { access, baseUrl, corsOrigins, onFailure } = settings
  const resource = protectedResourceOf(settings, mcpSettings)
  const guard = refuseRebinding({
    ...(baseUrl !== undefined && { baseUrl }),
    ...(mcpSettings.hosts && { hosts: mcpSettings.hosts }),
    ...(corsOrigins && { origins: corsOrigins }),
  })

  let loading: Promise<Loaded> | undefined
  async function load(): Promise<Loaded> {
    const mcp = await import('../mcp/index.ts')
    return {
      mcp,
      endpoint: mcp.createEndpoint(mcpSettings.serverFor),
      verifyToken: resource && mcp.createTokenVerifier(resource.oauth),
    }
  }
  const loaded = () => {
    loading ??= load()
    return loading
  }

  function identification({ mcp, verifyToken }: Loaded): McpIdentification {
    const required = resource?.oauth.required ?? false
    return { access, mcp, verifyToken, byAddress, required, metadataUrl: resource?.metadataUrl }
  }

  function answererFor(mcp: Mcp, request: FastifyRequest, delivery: Delivery & { signal: AbortSignal }): Answerer {
    const { caller } = request
    if (!caller || !access) return mcp.keylessAnswerer(service, { client: clientOf(request), signal: delivery.signal })
    const answerer = notingDraws(mcp.keyedAnswerer(service, access, caller, delivery), request)
    return mcpSettings.feedback === false ? mcp.withoutFeedback(answerer) : answerer
  }

  app.post('/mcp', { onRequest: async request => guard(request) }, async (request, reply) => {
    const room = await loaded()
    await identify(request, reply, identification(room))
    const read = readJsonBody(request.body)
    const body = 'value' in read ? read.value : undefined
    const refusal = callsIn(body) === 0 ? undefined : await countCall(request, reply, { access, byAddress })
    const web = webRequest(request, reply)
    const toolCaller: ToolCaller = {
      answerer: answererFor(room.mcp, request, {
        isTooLate: () => web.signal.aborted || reply.raw.writableEnded,
        signal: web.signal,
      }),
      ...(refusal && { refusal }),
      onRefusal: error => {
        request.refusal = error
        if (error.status === 500) onFailure?.(error.cause ?? error, { requestId: request.id })
      },
    }
    const answer = await room.endpoint.answer(web, toolCaller, body)
    return reply.sent ? reply : reply.send(answer)
  })
  if (resource) addResourceMetadata(app, resource)
  app.addHook('preClose', async () => {
    await (await loading?.catch(() => undefined))?.endpoint.close()
  })
}

/** Counts a call against its organisation's limit or its address's, and says where the caller stands. */
async function countCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, byAddress }: { access: Access | undefined } & Pick<McpRouteParts, 'byAddress'>,
): Promise<ServiceError | undefined> {
  const { caller } = request
  const { headers, refusal } = await (caller && access ? access.countRequest(caller) : byAddress(request.ip))
  reply.headers(headers)
  // Some clients take a 429 for a server that is broken; the tool itself says that it is refused.
  if (refusal?.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
  return refusal
}

/** The same answerer, whose draws the log and the metrics know. */
function notingDraws(answerer: Answerer, request: FastifyRequest): Answerer {
  return {
    ...answerer,
    search: async search => {
      const answer = await answerer.search(search)
      request.draw = answer.draw
      return answer
    },
    fetch: async fetch => {
      const answer = await answerer.fetch(fetch)
      request.draw = answer.draw
      return answer
    },
  }
}

/** RFC 9728: whose access tokens are taken, for clients that want to sign in. */
function addResourceMetadata(app: FastifyInstance, { paths, metadata }: ProtectedResource): void {
  for (const path of paths) app.get(path, async () => metadata)
}
