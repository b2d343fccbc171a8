import type { FastifyReply } from 'fastify'

/** Returns the weight of each value that a header such as `Accept` names (RFC 9110, 12.4.2), in lower case. */
function weightsOf(header: string | undefined): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1)
    if (!weights.has(value)) weights.set(value, weight)
  }
  return weights
}

/**
 * Returns true if an `Accept-Encoding` header (RFC 9110, 12.5.3) allows gzip: by name, or by `*` if gzip is not named.
 *
 * @param header - undefined if the request has no such header.
 */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = weightsOf(header)
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

/**
 * Returns true if an `Accept` header (RFC 9110, 12.5.1) prefers HTML or plain text to Markdown, as the headers of browsers do.
 *
 * @param header - undefined if the request has no such header.
 */
export function prefersPlainText(header: string | undefined): boolean {
  const weights = weightsOf(header)
  const weightOf = (type: string) => weights.get(type) ?? weights.get('text/*') ?? weights.get('*/*') ?? 0
  return Math.max(weightOf('text/plain'), weightOf('text/html')) > weightOf('text/markdown')
}

/**
 * Returns true if an `Accept` header (RFC 9110, 12.5.1) names HTML and prefers it to JSON, as that of a browser does which opens a page.
 *
 * @param header - undefined if the request has no such header.
 */
export function prefersPage(header: string | undefined): boolean {
  const weights = weightsOf(header)
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
