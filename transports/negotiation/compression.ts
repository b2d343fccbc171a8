import { gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { acceptsGzip, varyBy } from './negotiation.ts'

/**
 * Maximum size, in bytes or UTF-16 units, of a body that is compressed at once. For such a body the thread pool would take
 * longer.
 */
const SYNCHRONOUS_UNITS = 32 * 1024

const compressible = /^text\/(?!event-stream)|[+/]json(?:;|$)/

/** Returns the answer with a body that is compressed while it is sent. */
function compressedResponse(response: Response, body: ReadableStream<Uint8Array>, vary: string): Response {
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  headers.set('content-encoding', 'gzip')
  headers.set('vary', vary)
  const { status } = response
  return new Response(body.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array>), {
    status,
    headers,
  })
}

/** Returns the body of an answer if it should be compressed, and undefined if it should be sent unchanged. */
function compressibleBody(reply: FastifyReply, payload: unknown, fromBytes: number): string | Uint8Array | undefined {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return undefined
  const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.byteLength
  if (bytes < fromBytes || reply.hasHeader('content-encoding')) return undefined
  return compressible.test(String(reply.getHeader('content-type') ?? 'application/json')) ? payload : undefined
}

/**
 * Compresses answers in JSON and text with gzip for clients that accept it.
 *
 * @param fromBytes - minimum size. Shorter answers are sent unchanged, unless they are streams.
 */
export function addCompression(app: FastifyInstance, fromBytes: number): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const accepted = request.headers['accept-encoding']
    if (accepted === undefined || request.method === 'HEAD') return done(null, payload)
    if (payload instanceof Response) {
      const type = payload.headers.get('content-type') ?? ''
      const isPlain = !payload.headers.has('content-encoding') && compressible.test(type) && acceptsGzip(accepted)
      if (!payload.body || !isPlain) return done(null, payload)
      return done(null, compressedResponse(payload, payload.body, varyBy(reply, 'accept-encoding')))
    }
    const body = compressibleBody(reply, payload, fromBytes)
    if (body === undefined || !acceptsGzip(accepted)) return done(null, payload)
    const send = (error: Error | null, compressed: Buffer) => {
      if (error) return done(error)
      varyBy(reply, 'accept-encoding')
      reply.headers({ 'content-encoding': 'gzip', 'content-length': compressed.length })
      done(null, compressed)
    }
    if (body.length <= SYNCHRONOUS_UNITS) send(null, gzipSync(body))
    else gzip(body, send)
  })
}
