import { z } from 'zod'
import { type OpenApiDocument, type OpenApiOperation, type Paths, referencedComponents } from './document.ts'

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The filters of `/openapi.json`. */
export const documentFilters = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Words that the path, operation id, summary or description of an operation contains, in any case.')
    .optional(),
  path: z
    .string()
    .startsWith('/', { error: 'must start with /' })
    .max(500)
    .describe('A path of the document, or the beginning of paths.')
    .optional(),
  method: z.string().toLowerCase().pipe(z.enum(httpMethods)).describe('An HTTP method, such as `get`.').optional(),
  page: z.int().min(1).max(1_000_000).describe('A page of 50 operations, from 1. Default: all operations.').optional(),
})

export type DocumentFilters = z.output<typeof documentFilters>

const OPERATIONS_PER_PAGE = 50

/** An operation with its place in the document. */
export interface PlacedOperation {
  path: string
  /** The method of the operation, in lower case. */
  method: string
  operation: OpenApiOperation
}

/** Returns all operations of a document, in its order. */
export function operationsOf({ paths }: Pick<OpenApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Returns the document with only these operations, and the components that they refer to. */
export function documentOf(document: OpenApiDocument, operations: readonly PlacedOperation[]): OpenApiDocument {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  const paths: Paths = Object.fromEntries(
    [...byPath].map(([path, group]) => [
      path,
      Object.fromEntries(group.map(({ method, operation }) => [method, operation])),
    ]),
  )
  return { ...document, paths, components: referencedComponents(paths, document.components) }
}

/** Returns the document without the operations of administrators. */
export function publicDocument(document: OpenApiDocument): OpenApiDocument {
  return documentOf(
    document,
    operationsOf(document).filter(({ path }) => !path.startsWith('/admin/')),
  )
}

function hasWords({ path, operation }: PlacedOperation, words: readonly string[]): boolean {
  const { operationId, summary, description = '' } = operation
  const text = [path, operationId, summary, description].join('\n').toLowerCase()
  return words.every(word => text.includes(word))
}

/** Returns the document with the operations that all filters select. Without filters, returns the whole document. */
export function narrowedDocument(
  document: OpenApiDocument,
  { q, path: prefix, method, page }: DocumentFilters,
): OpenApiDocument {
  if (q === undefined && prefix === undefined && method === undefined && page === undefined) return document
  const words = q?.toLowerCase().split(/\s+/) ?? []
  const selected = operationsOf(document).filter(
    placed =>
      placed.path.startsWith(prefix ?? '/') &&
      (method === undefined || placed.method === method) &&
      hasWords(placed, words),
  )
  if (page === undefined) return documentOf(document, selected)
  return documentOf(document, selected.slice((page - 1) * OPERATIONS_PER_PAGE, page * OPERATIONS_PER_PAGE))
}
