import type { FastifyReply } from 'fastify'
import { qualityValues, weightOfType } from '../../service/index.ts'

/**
 * Returns true if an `Accept-Encoding` header (RFC 9110, 12.5.3) allows gzip: by name, or by `*` if gzip is not named.
 *
 * @param header - undefined if the request has no such header.
 */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = qualityValues(header ?? '')
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

/**
 * Returns true if an `Accept` header (RFC 9110, 12.5.1) prefers HTML or plain text to Markdown, as the headers of browsers do.
 *
 * @param header - undefined if the request has no such header.
 */
export function prefersPlainText(header: string | undefined): boolean {
  const weights = qualityValues(header ?? '')
  const weightOf = (type: string) => weightOfType(weights, type)
  return Math.max(weightOf('text/plain'), weightOf('text/html')) > weightOf('text/markdown')
}

/**
 * Returns true if an `Accept` header (RFC 9110, 12.5.1) names HTML and prefers it to JSON. Browsers that open a page send such a header.
 *
 * @param header - undefined if the request has no such header.
 */
export function prefersPage(header: string | undefined): boolean {
  const weights = qualityValues(header ?? '')
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0)
}

/** Adds the name of a request header that the answer depends on to `Vary`. @returns the header. */
export function varyBy(reply: FastifyReply, name: string): string {
  const names = [reply.getHeader('vary') ?? []]
    .flat()
    .join(', ')
    .split(/\s*,\s*/)
    .filter(Boolean)
  if (!names.some(known => known === '*' || known.toLowerCase() === name)) names.push(name)
  reply.header('vary', names.join(', '))
  return names.join(', ')
}
