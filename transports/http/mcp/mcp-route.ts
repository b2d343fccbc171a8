import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, type AskedBy, type CountByAddress, clientNetwork } from '../../../service/accounts/index.ts'
import { type Service, ServiceError, WindowCounts } from '../../../service/index.ts'
import type { McpEndpoint, ToolBackend, ToolCaller, VerifyToken } from '../../mcp/index.ts'
import { asNamed } from '../admission/named-instants.ts'
import { addWayIn, limitHeaders, refuseCaller } from '../admission/way-in.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { baseUrlOf, callerSignal, clientOf } from '../request/service-call.ts'
import { byKey } from '../schema/parameters.ts'
import { postedBody } from '../schema/read-request.ts'
import {
  type App,
  always,
  type DescribedResponse,
  failures,
  json,
  limitedHeaders,
  named,
} from '../schema/route-schema.ts'
import type { HttpSettings } from '../settings.ts'
import { admitMcp, countMessages, type McpIdentification } from './mcp-caller.ts'
import type { McpSettings } from './mcp-settings.ts'
import { protectedResourceOf } from './protected-resource.ts'

type Mcp = typeof import('../../mcp/index.ts')

/**
 * The modules that the route needs. They are loaded at the first request of the route, because many servers never get such a
 * request.
 */
interface Loaded {
  mcp: Mcp
  endpoint: McpEndpoint
  verifyToken: VerifyToken | undefined
}

interface McpRouteParts {
  service: Service
  /** The settings of the server. */
  settings: HttpSettings
  mcpSettings: McpSettings
  /** Counts requests of a client without a key. The keyless routes share this limit. */
  byAddress: CountByAddress
}

function isRequestOf(message: unknown, method: string): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === method
}

function isToolCall(message: unknown): boolean {
  return isRequestOf(message, 'tools/call')
}

/** True if a body asks for the list of tools. */
function asksForTools(body: unknown): boolean {
  return [body].flat().some(message => isRequestOf(message, 'tools/list'))
}

/** Number of calls over the rate limit, per second and client, that are refused by a tool result. Further calls get a 429. */
const REFUSED_RESULTS_PER_SECOND = 10

/** Maximum number of messages in a batch (protocol revision 2025-03-26). A larger batch is refused as a whole. */
const MAX_BATCH = 50

/**
 * Checks a body before its messages are answered.
 *
 * @returns true if the body contains a tool call.
 * @throws ServiceError invalid_request - more than one call, or more than 50 messages.
 */
function checkMessages(body: unknown): boolean {
  if (!Array.isArray(body)) return isToolCall(body)
  if (body.length > MAX_BATCH) {
    throw new ServiceError('invalid_request', `Send at most ${MAX_BATCH} messages in a request.`)
  }
  const calls = body.filter(isToolCall).length
  if (calls > 1) throw new ServiceError('invalid_request', 'Send one tools/call in a request.')
  return calls === 1
}

/** Returns the number of messages in a body that count against the rate limit in addition to the request itself. */
function furtherMessages(body: unknown): number {
  return Array.isArray(body) ? Math.max(0, Math.min(body.length, MAX_BATCH) - 1) : 0
}

/** A message of the protocol (JSON-RPC 2.0). */
const message = named('McpMessage', {
  type: 'object',
  properties: { jsonrpc: { const: '2.0' } },
  required: ['jsonrpc'],
})

const reference = { $ref: '#/components/schemas/McpMessage' }
const messages = { anyOf: [reference, { type: 'array', items: reference, maxItems: 50 }] }

function responses(): Record<string, DescribedResponse> {
  const refused = [400, 406].map(status => ({ status, error: 'jsonrpc', schema: message }))
  const failed = failures([...always, 'unauthorized', 'forbidden', 'payload_too_large'], refused)
  const unacceptable = 'The caller accepts neither kind of answer; an error of the protocol as a message.'
  return {
    200: {
      description: 'The answer to a request: a message, or a stream with one.',
      headers: limitedHeaders,
      content: { ...json(message), 'text/event-stream': { schema: { type: 'string' } } },
    },
    202: { description: 'The messages need no answer.', headers: limitedHeaders },
    ...failed,
    400: { ...failed[400], description: '`invalid_request`, or an error of the protocol as a message.' },
    406: { ...failed[406], description: unacceptable },
  }
}

/** Returns the schema of the route. The Model Context Protocol describes the messages themselves. */
function schemaFor(access: Access | undefined, needsKey: boolean) {
  const keyed = access ? byKey : []
  return {
    operationId: 'mcp',
    summary: 'Call the tools of agents over the Model Context Protocol (Streamable HTTP)',
    description:
      'Takes JSON-RPC messages. The list of tools is free; a call of a tool is charged as the same call over HTTP.',
    // In OpenAPI the empty requirement allows a caller without a credential.
    security: needsKey ? keyed : [{}, ...keyed],
    body: messages,
    responses: responses(),
  }
}

/** Adds `/mcp` by Streamable HTTP, with the same accounts, limits and charges as the other routes. */
export function addMcpRoute(app: App, { service, settings, mcpSettings, byAddress }: McpRouteParts): void {
  const { access, onFailure } = settings
  const resource = protectedResourceOf(settings, mcpSettings)

  let loading: Promise<Loaded> | undefined
  async function load(): Promise<Loaded> {
    const mcp = await import('../../mcp/index.ts')
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
    const required = settings.privateSearch === true || (resource?.oauth.required ?? false)
    return { access, mcp, verifyToken, byAddress, required, metadataUrl: resource?.metadataUrl }
  }

  function backendFor(mcp: Mcp, request: FastifyRequest, context: AskedBy & { signal: AbortSignal }): ToolBackend {
    const { caller } = request
    const backend =
      caller && access
        ? recordingCharges(mcp.keyedBackend(serviceFor(service, request), access, caller, context), request)
        : mcp.keylessBackend(service, { client: clientOf(request), signal: context.signal, base: context.base })
    return mcp.offering(inNamedPast(backend, request), mcpSettings)
  }

  /** True to list the arguments for fields. An index that cannot be read now has no fields to offer. */
  async function listsFields(request: FastifyRequest): Promise<boolean> {
    const { caller } = request
    const seen = caller && access ? serviceFor(service, request) : service
    return await seen.hasFields().catch(() => false)
  }

  const refusedResults = new WindowCounts({ points: REFUSED_RESULTS_PER_SECOND, durationMs: 1_000 })
  addWayIn(
    app,
    async request => admitMcp(request, identification(await loaded())),
    ({ refusal, limit }) => {
      // Over the rate limit, the answer does not show whether a key is valid, so that nobody can try many keys fast.
      if (refusal !== undefined) refuseCaller({ refusal: limit?.refusal ?? refusal })
    },
  )
  const schema = schemaFor(access, settings.privateSearch === true)
  app.post('/mcp', { schema, config: { hasPast: true } }, async (request, reply) => {
    const room = await loaded()
    const body = postedBody(request)?.value
    const further = furtherMessages(body)
    const limit = further > 0 ? await countMessages(request, { access, byAddress }, further) : request.admission?.limit
    if (limit) reply.headers(limitHeaders(limit))
    const refusal = limit?.refusal
    if (refusal?.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
    const isCall = checkMessages(body)
    // A tool call over the limit gets its refusal as a tool result, because some clients take a 429 for a broken server. A tool
    // result costs as much work as an answer, so a flood of calls gets 429.
    if (refusal && (!isCall || refusedResults.count(clientNetwork(request.ip)).exceeded)) throw refusal
    const web = webRequest(request, reply)
    const backend = backendFor(room.mcp, request, {
      isTooLate: () => web.signal.aborted || reply.raw.writableEnded,
      signal: web.signal,
      base: baseUrlOf(request),
    })
    const toolCaller: ToolCaller = {
      backend:
        backend.listsAllArguments === undefined && !refusal && asksForTools(body)
          ? { ...backend, listsAllArguments: await listsFields(request) }
          : backend,
      refusal,
      onRefusal: error => {
        request.refusal = error
        if (error.kind === 'internal_error') onFailure?.(error.cause ?? error, { requestId: request.id })
      },
    }
    const answer = await room.endpoint.answer(web, toolCaller, body)
    return reply.sent ? reply : reply.send(answer)
  })
  app.addHook('preClose', async () => {
    await (await loading?.catch(() => undefined))?.endpoint.close()
  })
}

/** Wraps a backend so that its calls are answered as of the instant that the HTTP request names. Calls without a view of the past are refused. */
function inNamedPast(backend: ToolBackend, request: FastifyRequest): ToolBackend {
  return { ...backend, answer: async (name, asked) => await backend.answer(name, asNamed(request, name, asked)) }
}

/** Wraps a backend so that the log and the metrics show the charge of each call. */
function recordingCharges(backend: ToolBackend, request: FastifyRequest): ToolBackend {
  return {
    ...backend,
    answer: async (name, asked) => {
      const answered = await backend.answer(name, asked)
      request.charges = answered.charge && [answered.charge]
      return answered
    },
  }
}

/** Converts a Fastify request to a `Request` of the Fetch standard, with the received bytes as its body. */
function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each)
  }
  const body = postedBody(request)
  return new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers,
    signal: callerSignal(reply),
    body: body && new Uint8Array(body.bytes),
  })
}
