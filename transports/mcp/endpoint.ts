import { AsyncLocalStorage } from 'node:async_hooks'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { toServiceError } from '../../service/index.ts'
import { acceptedForm, acceptingBoth, inForm } from './accepted-form.ts'
import { disagreement } from './initialize-check.ts'
import { lenientMessage } from './lenient-message.ts'
import { refusedMessage, rewordErrorResponse } from './protocol-error.ts'
import { createToolServer, type ToolCaller } from './tool-server.ts'

/** Answers protocol messages over HTTP, with any HTTP server. Stateless: nothing is kept between requests. */
export interface McpEndpoint {
  /**
   * Answers one request. The signal of the request aborts when the caller disconnects.
   *
   * @param body - the parsed body of `request`, if it is JSON.
   */
  answer(request: Request, caller: ToolCaller, body?: unknown): Promise<Response>
  /** Ends the open streams of clients that wait for notifications. */
  close(): Promise<void>
}

/** Maximum number of open streams of clients that wait for notifications. asof sends no notifications. */
const MAX_SUBSCRIPTIONS = 256

/** Returns true for a request whose answer is a stream without end. */
function isListening(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen'
  )
}

/** The code of the SDK for a refused `Accept` header. */
const NOT_ACCEPTABLE = -32_000
const accepts = 'The answer is application/json or text/event-stream: accept one of them, both, or */*.'

/** Creates the SDK's server for one request of a caller. */
export type ServerFor = (caller: ToolCaller) => McpServer

/**
 * Creates an endpoint for protocol messages over HTTP. Messages that are not valid are answered with errors of the protocol.
 *
 * @param serverFor - creates the server for a caller. Default: the tools of asof.
 */
export function createEndpoint(serverFor: ServerFor = createToolServer): McpEndpoint {
  const requests = new AsyncLocalStorage<{ caller: ToolCaller; failure?: Error }>()
  const handler = createMcpHandler(
    () => {
      const request = requests.getStore()
      if (!request) throw new TypeError('the SDK asked for a server outside of a request')
      return serverFor(request.caller)
    },
    {
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: failure => {
        const request = requests.getStore()
        if (request) request.failure = failure
      },
    },
  )
  return {
    answer: async (request, caller, body) => {
      const served: { caller: ToolCaller; failure?: Error } = { caller }
      const parsedBody = lenientMessage(body)
      const refused = disagreement(parsedBody, request.headers)
      if (refused) return refused
      const form = isListening(parsedBody) ? 'any' : acceptedForm(request.headers.get('accept'))
      if (form === undefined) return refusedMessage(parsedBody, { status: 406, code: NOT_ACCEPTABLE, text: accepts })
      const asked = new Request(request, { headers: acceptingBoth(request.headers) })
      const response = await requests.run(served, () => handler.fetch(asked, { parsedBody }))
      // An error of the client is in the response alone. A failure of the server is also reported to the operator.
      if (response.status >= 500) caller.onRefusal(toServiceError(served.failure))
      return await inForm(await rewordErrorResponse(response), form, Array.isArray(parsedBody))
    },
    close: () => handler.close(),
  }
}
