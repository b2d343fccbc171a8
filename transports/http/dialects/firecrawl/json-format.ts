import { limits, parseValueSchema, renamingFields } from '../../../../service/index.ts'
import type { Asking } from '../frame/dialect.ts'
import { isFields } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

/** A JSON Schema, not checked. */
export type GivenSchema = Readonly<Record<string, unknown>>

/** Number of missing values that a warning names. */
const MAX_MISSING = 20

/**
 * Returns the schema of the format `json`. Undefined without one: only a language model reads a prompt.
 *
 * @param path - the name of the format.
 * @throws ServiceError invalid_request - the schema is not one that asof reads values by.
 */
export function schemaOfFormat(path: string, given: object, warnings: DialectWarning[]): GivenSchema | undefined {
  const { schema, prompt }: { schema?: unknown; prompt?: unknown } = given
  if (!isFields(schema)) return undefined
  try {
    parseValueSchema(schema)
  } catch (failure) {
    throw renamingFields(failure, name => `${path}.${name}`)
  }
  if (prompt !== undefined)
    warnings.push({ path: `${path}.prompt`, message: 'left out: values are found by the names in the schema' })
  return schema
}

/**
 * Reads the values of a schema from pages of the index.
 *
 * @param queryTime - undefined if the caller names the instant in another way.
 * @param warnings - gets a warning for values that no passage of a page states.
 * @returns the values by the URLs of the request; none for a page that the index does not have.
 * @throws ServiceError - none of the pages was read.
 */
export async function valuesOfPages(
  asking: Asking,
  { urls, schema, queryTime }: { urls: readonly string[]; schema: GivenSchema; queryTime: string | undefined },
  warnings: DialectWarning[],
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>()
  const missing = new Set<string>()
  for (let i = 0; i < urls.length; i += limits.extractedUrls) {
    const some = urls.slice(i, i + limits.extractedUrls)
    try {
      const { body } = await asking.call('extract', { urls: some, schema, query_time: queryTime })
      for (const [j, result] of body.results.entries()) {
        if (result.values !== null) values.set(some[j] ?? '', result.values)
        for (const { path } of result.missing) missing.add(path)
      }
    } catch (failure) {
      if (i === 0 || !(failure instanceof Error)) throw failure
      warnings.push({ path: 'json', message: `only of the first ${i} pages: ${failure.message}` })
      break
    }
  }
  if (missing.size > 0) {
    const named = [...missing].slice(0, MAX_MISSING).join(', ')
    warnings.push({ path: 'json', message: `no passage of the page states ${named}` })
  }
  return values
}
