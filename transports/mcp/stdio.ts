import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { optionsReader } from '@asof/core/options'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { rewordErrors } from './protocol-error.ts'
import { createToolServer, type ToolCaller } from './tool-server.ts'

export interface StdioOptions {
  input: Readable
  /** The stream for protocol messages. Nothing else is written to it. */
  output: Writable
  /** Ends the connection. */
  signal: AbortSignal
  /** Called for input that is not a protocol message. */
  onFailure: (failure: Error) => void
}

const readOptions = optionsReader<StdioOptions>(
  { input: 'object', output: 'object', signal: 'signal', onFailure: 'function' },
  { required: ['input', 'output', 'signal', 'onFailure'] },
)

/**
 * Serves one client over a pair of streams. Resolves when the input ends or the signal aborts.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of the wrong type.
 */
export async function serveOverStdio(caller: ToolCaller, options: StdioOptions): Promise<void> {
  const { input, output, signal, onFailure } = readOptions(options)
  const ended = once(input, 'close', { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  const connection = serveStdio(() => createToolServer(caller), {
    transport: rewordErrors(new StdioServerTransport(input, output)),
    onerror: onFailure,
  })
  await ended
  await connection.close()
}
