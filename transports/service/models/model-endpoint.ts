import type { OptionKinds } from '@asof/core'
import type OpenAI from 'openai'
import { loadOpenAi } from './model-packages.ts'

/** Where a model is asked, in OpenAI's or a like manner. */
export interface ModelEndpoint {
  /** The base URL, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** Sent as a bearer token; default: none is sent. */
  apiKey?: string
}

export const endpointKinds: OptionKinds<ModelEndpoint> = { baseUrl: 'string', apiKey: 'string' }

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A client of an endpoint, loaded when it is first needed: most servers have no model. It asks once, follows no redirect,
 * and keeps no clock of its own: the signal of a request ends it, body included.
 *
 * @param maxAnswerBytes - a longer answer is a failure.
 * @throws ASOF_PACKAGE_MISSING - openai is not installed.
 */
export async function connectModel({ baseUrl, apiKey }: ModelEndpoint, maxAnswerBytes: number): Promise<OpenAI> {
  const { default: Client } = await loadOpenAi()
  const { Agent, fetch } = await import('undici')
  const dispatcher = new Agent({ maxResponseSize: maxAnswerBytes, headersTimeout: 0, bodyTimeout: 0 })
  const bounded = (url: string, init: object) => fetch(url, { ...init, dispatcher, redirect: 'error' })
  return new Client({
    baseURL: baseUrl,
    // The client insists on a key; that of an endpoint without one is not sent.
    apiKey: apiKey ?? 'none',
    ...(apiKey === undefined ? { defaultHeaders: { Authorization: null } } : {}),
    // What the environment says about OpenAI is about other programs.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // A second clock would sometimes strike first.
    timeout: LONGEST_TIMER_MS,
    // undici's own fetch and the global one differ in their declarations only.
    fetch: bounded as unknown as typeof globalThis.fetch,
  })
}

/** The chain of causes of an error, itself first. */
function* causes(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) yield at
}

/**
 * What went wrong with a request to an endpoint, in our words, since its own may quote the key or what it was sent;
 * `undefined` for what is no failure of an endpoint.
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
