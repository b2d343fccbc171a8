import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../service/index.ts'

/** Time after which an administrator must sign in again. */
const SESSION_MS = 12 * 3_600_000
/** Number of browsers that are signed in at the same time. One more ends the session that was used the longest ago. */
const MAX_SESSIONS = 100
const UNSAFE = /^(?:POST|PUT|PATCH|DELETE)$/

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** Browsers share cookies among all ports of a host (RFC 6265bis, section 8.5), so the port in the URL is part of the name. */
function cookieOf({ port }: FastifyRequest): string {
  return port === null ? 'asof_session' : `asof_session_${port}`
}

/** Returns the token in the cookie of a request. */
function tokenOf(request: FastifyRequest): string | undefined {
  return new RegExp(`(?:^|;) *${cookieOf(request)}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1]
}

/**
 * Returns true if a page of this server sent a request, as far as the browser says (RFC 6454; Fetch Metadata). A browser says so
 * with every request that can change something.
 */
function isOfOwnPage({ method, headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (origin === undefined) return !UNSAFE.test(method)
  return URL.canParse(origin) && new URL(origin).host === host
}

/**
 * The browsers in which an administrator has signed in. The token of a session is random, and its hash is held in memory only, so a
 * restart of the server ends all sessions.
 */
export class Sessions {
  readonly #expiries = new LRUCache<string, number>({ max: MAX_SESSIONS, ttl: SESSION_MS })

  /** Starts a session in the browser that gets a reply. @returns when the session ends, epoch ms. */
  start(request: FastifyRequest, reply: FastifyReply): number {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = Date.now() + SESSION_MS
    this.#expiries.set(hashOf(token), expiresAt)
    setCookie(request, reply, token, SESSION_MS / 1_000)
    return expiresAt
  }

  /**
   * Returns when the session of a request ends, epoch ms. Returns undefined if the request has no session, or if a page of another server
   * sent it.
   */
  expiryOf(request: FastifyRequest): number | undefined {
    return this.#find(request)?.expiresAt
  }

  /** Returns what identifies the session of a request. Returns undefined in the cases in which {@link expiryOf} does. */
  idOf(request: FastifyRequest): string | undefined {
    return this.#find(request)?.id
  }

  #find(request: FastifyRequest): { id: string; expiresAt: number } | undefined {
    const token = tokenOf(request)
    if (token === undefined || !isOfOwnPage(request)) return undefined
    const id = hashOf(token)
    const expiresAt = this.#expiries.get(id)
    return expiresAt === undefined ? undefined : { id, expiresAt }
  }

  /**
   * Ends the session of a request.
   *
   * @throws ServiceError forbidden - a page of another server sent the request, or a program that does not say where it is from.
   */
  end(request: FastifyRequest, reply: FastifyReply): void {
    if (!isOfOwnPage(request))
      throw new ServiceError('forbidden', 'Only a page of this server can sign out: send its address as Origin.')
    const token = tokenOf(request)
    if (token !== undefined) this.#expiries.delete(hashOf(token))
    setCookie(request, reply, '', 0)
  }
}

/** The cookie reaches no script, no other site and no other server (RFC 6265bis: HttpOnly, SameSite, and no Domain). */
function setCookie(request: FastifyRequest, reply: FastifyReply, token: string, seconds: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${cookieOf(request)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  )
}
