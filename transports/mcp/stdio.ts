import type { Readable, Writable } from 'node:stream'
import { optionsReader } from '@asof/extract/errors'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { rewordErrors } from './protocol-error.ts'
import { StdioTransport } from './stdio-transport.ts'
import { createToolServer, type ToolCaller } from './tool-server.ts'

/** The streams of a connection over stdio, and what ends it. */
export interface StdioOptions {
  /** The stream of messages of the client. */
  input: Readable
  /** The stream for protocol messages. Nothing else is written to it. */
  output: Writable
  /** Ends the connection. */
  signal: AbortSignal
  /** Called for failures of the streams and of the protocol that the client cannot learn of. */
  onFailure: (failure: Error) => void
}

const readOptions = optionsReader<StdioOptions>(
  { input: 'object', output: 'object', signal: 'signal', onFailure: 'function' },
  { required: ['input', 'output', 'signal', 'onFailure'] },
)

/**
 * Serves one client over a pair of streams. Resolves when the input has ended and every request is answered, or when the signal
 * aborts.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of the wrong type.
 */
export async function serveOverStdio(caller: ToolCaller, options: StdioOptions): Promise<void> {
  const { input, output, signal, onFailure } = readOptions(options)
  const transport = new StdioTransport(input, output)
  const connection = serveStdio(() => createToolServer(caller), {
    transport: rewordErrors(transport),
    onerror: onFailure,
  })
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  if (signal.aborted) stop()
  signal.addEventListener('abort', () => stop(), { once: true })
  await Promise.race([transport.done, stopped])
  await connection.close()
}
