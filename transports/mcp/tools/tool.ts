import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { ToolBackend } from '../tool-backend.ts'
import type { Overrides } from './request-meta.ts'

/** One tool: its entry in the list of tools, and the function that answers its calls. */
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
   * @param given - the arguments, not checked yet.
   * @throws ServiceError, AsofError or ClientError
   */
  call(backend: ToolBackend, given: unknown, overrides: Overrides): Promise<CallToolResult>
}

/** Annotations of tools that only read. */
export const readsTheWeb: ToolAnnotations = {
  readOnlyHint: true,
  openWorldHint: true,
  destructiveHint: false,
  idempotentHint: true,
}
