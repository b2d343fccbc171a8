import type { OptionKinds } from '@asof/extract/errors'

/** The address and key of a model endpoint. */
export interface ModelEndpoint {
  /** The base URL, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** The bearer token to send. Default: none. */
  apiKey?: string
}

export const endpointKinds: OptionKinds<ModelEndpoint> = { baseUrl: 'string', apiKey: 'string' }
