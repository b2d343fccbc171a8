import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'

const gzipInThreadPool = promisify(gzip)

/** Up to this many bytes compressing takes less time than handing them to the thread pool. */
const SYNCHRONOUS_BYTES = 32 * 1024

const compressible = /^text\/(?!event-stream)|[+/]json(?:;|$)/

/**
 * True if an `Accept-Encoding` header (RFC 9110, 12.5.3) allows gzip: by its name, or by `*` where it is not named.
 *
 * @param header - undefined if the request has none.
 */
export function acceptsGzip(header: string | undefined): boolean {
  let weightOfAny = 0
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1)
    if (coding === 'gzip' || coding === 'x-gzip') return weight > 0
    if (coding === '*') weightOfAny = weight
  }
  return weightOfAny > 0
}

/** The `Vary` header of a reply, with `Accept-Encoding` added. */
function variedBy(reply: FastifyReply): string {
  const vary = [reply.getHeader('vary') ?? []].flat().join(', ')
  return /(?:^|,)\s*(?:\*|accept-encoding)\s*(?:,|$)/i.test(vary)
    ? vary
    : [vary, 'accept-encoding'].filter(Boolean).join(', ')
}

/** The same answer, its body compressed while it is sent. */
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

/**
 * Compresses answers in JSON and text with gzip for clients that accept it.
 *
 * @param fromBytes - shorter answers are sent as they are, unless they are streams.
 */
export function addCompression(app: FastifyInstance, fromBytes: number): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (request.method === 'HEAD' || !acceptsGzip(request.headers['accept-encoding'])) return payload
    if (payload instanceof Response) {
      const type = payload.headers.get('content-type') ?? ''
      if (!payload.body || payload.headers.has('content-encoding') || !compressible.test(type)) return payload
      return compressedResponse(payload, payload.body, variedBy(reply))
    }
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    const type = String(reply.getHeader('content-type') ?? 'application/json')
    if (reply.hasHeader('content-encoding') || !compressible.test(type)) return payload
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.byteLength
    if (bytes < fromBytes) return payload
    const compressed = bytes <= SYNCHRONOUS_BYTES ? gzipSync(payload) : await gzipInThreadPool(payload)
    reply.header('vary', variedBy(reply))
    reply.header('content-encoding', 'gzip')
    reply.header('content-length', compressed.length)
    return compressed
  })
}
