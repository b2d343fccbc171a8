import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Answerer } from '../answerer.ts'
import type { Overrides } from './request-meta.ts'

/** One tool: how it is advertised, and what its calls do. */
export interface Tool {
  name: string
  config: {
    title: string
    description: string
    inputSchema: StandardSchemaWithJSON
    outputSchema: StandardSchemaWithJSON
    annotations: ToolAnnotations
  }
  /**
   * Answers one call.
   *
   * @param given - the arguments, not validated yet.
   * @throws ServiceError, AsofError or ClientError
   */
  call(answerer: Answerer, given: unknown, overrides: Overrides): Promise<CallToolResult>
}

/** Of tools that only look at the web as it is kept. */
export const readsTheWeb: ToolAnnotations = {
  readOnlyHint: true,
  openWorldHint: true,
  destructiveHint: false,
  idempotentHint: true,
}
