import { AsyncLocalStorage } from 'node:async_hooks'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { toServiceError } from '../service/index.ts'
import { plainErrorResponse } from './protocol-error.ts'
import { createToolServer, type ToolCaller } from './tool-server.ts'

/** The protocol over HTTP, whatever carries the requests. Stateless: nothing is kept between two of them. */
export interface McpEndpoint {
  /**
   * Answers one request. Its signal, where it has one, says that the caller has gone.
   *
   * @param body - the parsed body of `request`, where it is JSON.
   */
  answer(request: Request, caller: ToolCaller, body?: unknown): Promise<Response>
  /** Ends what is open: streams of clients that wait for news. */
  close(): Promise<void>
}

/** Streams that wait for news of the tools, of which there is none; more are refused. */
const MAX_SUBSCRIPTIONS = 256

/** Makes the server of the SDK for one request, on behalf of a caller. */
export type ServerFor = (caller: ToolCaller) => McpServer

/** @param serverFor - what is served. Default: the tools of asof. */
export function createEndpoint(serverFor: ServerFor = createToolServer): McpEndpoint {
  const requests = new AsyncLocalStorage<{ caller: ToolCaller; failure?: Error }>()
  const handler = createMcpHandler(
    () => {
      const request = requests.getStore()
      if (!request) throw new TypeError('a request without a caller')
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
      const response = await requests.run(served, () =>
        handler.fetch(request, body === undefined ? {} : { parsedBody: body }),
      )
      // What was wrong with a message its sender is told; what is wrong with us goes to the operator.
      if (response.status >= 500) caller.onRefusal(toServiceError(served.failure))
      return await plainErrorResponse(response)
    },
    close: () => handler.close(),
  }
}
