import { optionsReader } from '@asof/extract/errors'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ServiceError } from '../../service/index.ts'

/** The issuer of accepted access tokens. This server is an OAuth resource server: it issues no tokens itself. */
export interface OAuthSettings {
  /** URL of the authorization server, exactly as in the `iss` of its tokens. */
  issuer: string
  /** The `aud` of tokens for this server: its resource identifier (RFC 8707). */
  audience: string
  /** URL of the issuer's public keys. Default: the one in the issuer's metadata. */
  jwksUrl?: string
  /** The name of the claim with the id of the organization. Default `organization`. */
  organizationClaim?: string
  /** Id of the organization for tokens without `organizationClaim`. Default: such tokens are refused. */
  organization?: string
  /** True to refuse calls without a key or token, so that clients sign in. Default false: such calls are keyless calls. */
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

/** The holder of a token. */
export interface TokenHolder {
  /** Id of the organization. */
  organization: string
  /** `sub` of the token. */
  subject: string
}

/**
 * Returns the holder of an access token.
 *
 * @throws ServiceError unauthorized - the token is not valid.
 * @throws ServiceError overloaded - the keys of the issuer cannot be fetched.
 */
export type VerifyToken = (token: string) => Promise<TokenHolder>

/** Asymmetric algorithms only: with a symmetric one, the issuer's public key would be enough to sign a token. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_SECONDS = 30
const ISSUER_TIMEOUT_MS = 5_000
const MAX_SUBJECT_CHARS = 255
const RETRY_SECONDS = 5

/** Returns the URLs of an issuer's metadata: first by RFC 8414, then by OpenID Connect Discovery. */
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
  throw new Error(`the metadata of ${issuer} have no jwks_uri`)
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('overloaded', "The keys of the issuer of access tokens can't be fetched right now.", {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

function invalid(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('unauthorized', `The access token is not valid: ${reason}.`, { cause })
}

/** The reasons why a token is invalid. Any other failure means that the issuer's keys could not be fetched. */
const reasons: readonly (readonly [new (...given: never[]) => Error, string])[] = [
  [errors.JWTExpired, 'it has expired'],
  [errors.JWTClaimValidationFailed, 'it is not for this server, or not from the accepted issuer'],
  [errors.JWSSignatureVerificationFailed, 'its signature is wrong'],
  [errors.JWKSNoMatchingKey, 'its issuer has no key with this id'],
  [errors.JWKSMultipleMatchingKeys, 'it does not name the key that it was signed with'],
  [errors.JOSEAlgNotAllowed, 'its algorithm is not allowed'],
  [errors.JOSENotSupported, 'its algorithm is not supported'],
  [errors.JWSInvalid, 'it is malformed'],
  [errors.JWTInvalid, 'it is malformed'],
]

/**
 * Creates a verifier of access tokens. A valid token is a JWT for this server that is signed by a published key of the
 * issuer and has not expired.
 *
 * @returns a function that throws ServiceError: unauthorized if the token is invalid, overloaded if the issuer's keys
 *   can't be fetched now.
 * @throws ASOF_INVALID_OPTION - a setting is unknown, missing or of another type.
 */
export function createTokenVerifier(settings: OAuthSettings): VerifyToken {
  const read = readSettings(settings)
  const { issuer, audience, jwksUrl, organizationClaim = 'organization', organization: byDefault } = read
  let found: Promise<JWTVerifyGetKey> | undefined
  async function keys(): Promise<JWTVerifyGetKey> {
    const url = jwksUrl === undefined ? await discoverJwksUrl(issuer) : new URL(jwksUrl)
    return createRemoteJWKSet(url, { timeoutDuration: ISSUER_TIMEOUT_MS })
  }
  function cachedKeys(): Promise<JWTVerifyGetKey> {
    found ??= keys().catch((error: unknown) => {
      // The next token causes another fetch of the keys.
      found = undefined
      throw error
    })
    return found
  }

  async function claimsOf(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, await cachedKeys(), {
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

/** Returns true if a bearer token has the form of an access token (JWT), and not of an API key. */
export function looksLikeAccessToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
