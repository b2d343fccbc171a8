import { optionsReader } from '@asof/core'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ServiceError } from '../service/index.ts'

/** Whose access tokens are taken: this server is an OAuth resource server, and issues none itself. */
export interface OAuthSettings {
  /** The authorization server; `iss` of its tokens, exactly. */
  issuer: string
  /** What tokens for this server have in `aud`: its resource identifier (RFC 8707). */
  audience: string
  /** Where the issuer's public keys are. Default: what the issuer's metadata says. */
  jwksUrl?: string
  /** The claim that holds the id of the organization. Default `organization`. */
  organizationClaim?: string
  /** The organization of tokens without that claim. Default: they are refused. */
  organization?: string
  /** Whether calls without a key or token are refused, so that clients begin to sign in. Default false: they are keyless. */
  required?: boolean
}

const readSettings = optionsReader<OAuthSettings>(
  {
    issuer: 'string',
    audience: 'string',
    jwksUrl: 'string',
    organizationClaim: 'string',
    organization: 'string',
    required: 'boolean',
  },
  { required: ['issuer', 'audience'] },
)

/** Who a token speaks for. */
export interface TokenHolder {
  /** Id of the organization. */
  organization: string
  /** `sub` of the token. */
  subject: string
}

export type VerifyToken = (token: string) => Promise<TokenHolder>

/** Signatures that need the issuer's private key: with those that need a shared secret its public key would do. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_SECONDS = 30
const ISSUER_TIMEOUT_MS = 5_000
const MAX_SUBJECT_CHARS = 255
const RETRY_SECONDS = 5

/** Where an issuer describes itself: RFC 8414, then OpenID Connect Discovery. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

async function metadataAt(url: string): Promise<{ issuer?: unknown; jwks_uri?: unknown } | undefined> {
  const signal = AbortSignal.timeout(ISSUER_TIMEOUT_MS)
  const response = await fetch(url, { headers: { Accept: 'application/json' }, redirect: 'error', signal })
  if (!response.ok) {
    await response.body?.cancel()
    return undefined
  }
  const metadata: unknown = await response.json()
  return typeof metadata === 'object' && metadata !== null ? metadata : undefined
}

async function discoverJwksUrl(issuer: string): Promise<URL> {
  for (const url of new Set(metadataUrls(issuer))) {
    const metadata = await metadataAt(url)
    if (metadata?.issuer === issuer && typeof metadata.jwks_uri === 'string') return new URL(metadata.jwks_uri)
  }
  throw new Error(`${issuer} does not say where its keys are`)
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('overloaded', 'The issuer of access tokens can not be asked for its keys right now.', {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

function invalid(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('unauthorized', `The access token is not valid: ${reason}.`, { cause })
}

/** Failures that are about the token; every other is about reaching the issuer. */
const reasons: readonly (readonly [new (...given: never[]) => Error, string])[] = [
  [errors.JWTExpired, 'it has expired'],
  [errors.JWTClaimValidationFailed, 'it is not for this server, or not from its issuer'],
  [errors.JWSSignatureVerificationFailed, 'its signature is wrong'],
  [errors.JWKSNoMatchingKey, 'its issuer has no such key'],
  [errors.JWKSMultipleMatchingKeys, 'it does not say which key it was signed with'],
  [errors.JOSEAlgNotAllowed, 'its algorithm is not allowed'],
  [errors.JOSENotSupported, 'its algorithm is not known'],
  [errors.JWSInvalid, 'it is malformed'],
  [errors.JWTInvalid, 'it is malformed'],
]

/**
 * Verifies access tokens of one issuer: JWTs, signed by a key that the issuer publishes, for this server, not expired.
 *
 * @returns throws ServiceError unauthorized - the token is no good; overloaded - the issuer's keys can't be had now.
 */
export function createTokenVerifier(settings: OAuthSettings): VerifyToken {
  const read = readSettings(settings)
  const { issuer, audience, jwksUrl, organizationClaim = 'organization', organization: byDefault } = read
  let found: Promise<JWTVerifyGetKey> | undefined
  async function keys(): Promise<JWTVerifyGetKey> {
    const url = jwksUrl === undefined ? await discoverJwksUrl(issuer) : new URL(jwksUrl)
    return createRemoteJWKSet(url, { timeoutDuration: ISSUER_TIMEOUT_MS })
  }
  function knownKeys(): Promise<JWTVerifyGetKey> {
    found ??= keys().catch((error: unknown) => {
      // The next token asks again.
      found = undefined
      throw error
    })
    return found
  }

  async function claimsOf(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, await knownKeys(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      })
      return payload
    } catch (error) {
      const reason = reasons.find(([kind]) => error instanceof kind)?.[1]
      throw reason === undefined ? unavailable(error) : invalid(reason, error)
    }
  }

  return async token => {
    const claims = await claimsOf(token)
    const organization = claims[organizationClaim] ?? byDefault
    if (typeof organization !== 'string') throw invalid(`it names no organization in ${organizationClaim}`)
    return { organization, subject: String(claims.sub).slice(0, MAX_SUBJECT_CHARS) }
  }
}

/** A bearer token that is no API key but may be an access token. */
export function looksLikeAccessToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
