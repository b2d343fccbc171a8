import type { FastifyInstance } from 'fastify'
import { type FieldProblem, refusedFields } from '../../../service/index.ts'

const MAX_NAME_CHARS = 100
const REASON = 'has a % that two hexadecimal digits of UTF-8 do not follow; write a % as %25'

/** Returns a problem for each parameter of a query string whose percent-encoding is broken. */
function brokenEscapes(url: string): FieldProblem[] {
  const start = url.indexOf('?') + 1
  if (start === 0 || !url.includes('%', start)) return []
  const names = new Set<string>()
  for (const pair of url.slice(start).split('&'))
    if (decoded(pair) === undefined) {
      const name = pair.split('=', 1)[0] ?? ''
      names.add((decoded(name) ?? name).slice(0, MAX_NAME_CHARS))
    }
  return [...names].map(path => ({ path, reason: REASON }))
}

/**
 * Refuses query strings with a broken percent-encoding. Fastify would leave the whole value encoded, so a query would have other
 * words than its caller wrote. The refusal comes after those of the way in. The rest of a path that ends in `*` is the URL of a
 * page, whose query string is not the caller's.
 */
export function refuseBrokenEscapes(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const isOfPage = request.routeOptions.url?.endsWith('*') === true
    const problems = isOfPage ? [] : brokenEscapes(request.raw.url ?? '')
    if (problems.length > 0) throw refusedFields('invalid_request', problems)
    done()
  })
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
