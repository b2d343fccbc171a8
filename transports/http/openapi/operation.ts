/** A response of an operation, as OpenAPI describes it. */
export interface DescribedResponse {
  description: string
  headers?: Readonly<Record<string, object>>
  content?: object
}

/** An operation, as OpenAPI describes it. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  /** An operation without this field needs no credential. */
  security?: readonly object[]
  parameters?: readonly object[]
  requestBody?: object
  responses: Readonly<Record<string, DescribedResponse>>
}

/** Operations by path, then by method in lower case. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
