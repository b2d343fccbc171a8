import { isError, loadOptional } from '@asof/extract/errors'
import type OpenAI from 'openai'
import type { ModelEndpoint } from './model-endpoint.ts'
import { modelPackages } from './model-packages.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** @throws ASOF_PACKAGE_MISSING - openai is not installed. */
export function loadOpenAi(): Promise<typeof import('openai')> {
  return loadOptional(modelPackages, () => import('openai'))
}

/**
 * Creates a client for an endpoint. The library is imported here, because most servers have no model. The client does
 * not retry or follow redirects. It has no timeout; the signal of a request ends the request and its body.
 *
 * @param maxAnswerBytes - maximum size of an answer. A longer one is an error.
 * @throws ASOF_PACKAGE_MISSING - openai is not installed.
 */
export async function connectModel({ baseUrl, apiKey }: ModelEndpoint, maxAnswerBytes: number): Promise<OpenAI> {
  const { default: Client } = await loadOpenAi()
  const { Agent, fetch } = await import('undici')
  const dispatcher = new Agent({ maxResponseSize: maxAnswerBytes, headersTimeout: 0, bodyTimeout: 0 })
  const bounded = (url: string, init: object) => fetch(url, { ...init, dispatcher, redirect: 'error' })
  return new Client({
    baseURL: baseUrl,
    // The client needs a key. If there is none, the Authorization header is removed.
    apiKey: apiKey ?? 'none',
    defaultHeaders: apiKey === undefined ? { Authorization: null } : undefined,
    // Without these, the client would read environment variables that are meant for other programs.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // No time limit besides the signal.
    timeout: LONGEST_TIMER_MS,
    // The two types of fetch differ only in their declarations.
    fetch: bounded as unknown as typeof globalThis.fetch,
  })
}

/** Yields an error and the errors that caused it. */
function* causes(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; isError(at) && depth < 10; at = at.cause, depth++) yield at
}

/**
 * Describes why a request to an endpoint failed. Leaves out the endpoint's message, which may quote the key or the
 * request. Returns undefined if the endpoint did not fail.
 */
export async function endpointFailure(error: unknown): Promise<string | undefined> {
  const { APIError, OpenAIError } = await loadOpenAi()
  const { errors } = await import('undici')
  const chain = [...causes(error)]
  if (chain.some(cause => cause instanceof errors.ResponseExceededMaxSizeError)) return 'its answer is too large'
  if (error instanceof APIError && error.status !== undefined) return `its endpoint answered ${error.status}`
  if (error instanceof SyntaxError) return 'its endpoint did not answer in JSON'
  if (error instanceof OpenAIError || error instanceof TypeError) return "its endpoint can't be reached"
  return undefined
}
