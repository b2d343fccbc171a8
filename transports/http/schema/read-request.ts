import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import {
  fetchReading,
  fetchRequest,
  historyReading,
  historyRequest,
  parseForm,
  parseRequest,
  type RequestReading,
  readForm,
  readRequest,
  type SearchRules,
  type Service,
  searchReading,
  searchRequest,
} from '../../../service/index.ts'
import type { PostedBody } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import type { Described } from './route-schema.ts'

type Reading = RequestReading<unknown>

/** What Fastify makes of a part of a request: its value, or a promise that rejects with the error. */
type Validated = { value: unknown } | { error: Error } | Promise<unknown>

/** Parses once. Only a request with invalid fields is read again, to name those that the schema alone can't find. */
function validate(parse: () => unknown, explain: () => Promise<unknown>): Validated {
  try {
    return { value: parse() }
  } catch {
    return explain()
  }
}

function readBody(schema: z.ZodType, reading: Reading, { value, refusal, request }: PostedBody): Validated {
  if (refusal) return { error: refusal }
  const problems = strayParameters(queryOf(request))
  const explain = async () => await readRequest(schema, value, { ...reading, problems })
  return problems.length > 0 ? explain() : validate(() => parseRequest(schema, value), explain)
}

/**
 * Creates the validators of the schemas of routes. An error names every invalid field, also those that only the engine can
 * check, and parameters that belong in the body. Header fields and bodies that are described by JSON Schema are not checked.
 *
 * @param rules - those of the searches of these routes.
 */
export function requestValidators(service: Service, rules: SearchRules = {}): FastifySchemaCompiler<Described> {
  const readings = new Map<Described, Reading>([
    [searchRequest, searchReading(service, [], rules) as Reading],
    [fetchRequest, fetchReading(service) as Reading],
    [historyRequest, historyReading(service) as Reading],
  ])
  const plain: Reading = { standIn: {}, check: async () => {} }
  return (({ schema, httpPart }: { schema: Described; httpPart?: string }) => {
    const reading = readings.get(schema) ?? plain
    if (httpPart === 'body' && schema instanceof z.ZodType) return (body: PostedBody) => readBody(schema, reading, body)
    if (httpPart === 'querystring' && schema instanceof z.ZodObject)
      return (form: Record<string, unknown>) =>
        validate(
          () => parseForm(schema, form),
          async () => await readForm(schema, form, reading),
        )
    return () => true
  }) as FastifySchemaCompiler<Described>
}
