import fc from 'fast-check'

/** The parts of JSON Schema that the document uses for requests. */
export interface RequestSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: RequestSchema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  minItems?: number
  items?: RequestSchema
  format?: string
  properties?: Record<string, RequestSchema>
  additionalProperties?: RequestSchema | boolean
  required?: string[]
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: RequestSchema
  /** The schema of an object, which is JSON in a query string. */
  content?: { 'application/json': { schema: RequestSchema } }
}

function schemaOf({ schema, content }: Parameter): RequestSchema {
  return schema ?? content?.['application/json'].schema ?? {}
}

export interface Operation {
  method: string
  path: string
  parameters: Parameter[]
  /** The schema of the JSON body. */
  body?: RequestSchema
  /** The credential that the operation needs. */
  credential?: 'key' | 'agent'
}

/** A request as sent to the server. */
export interface WireRequest {
  /** The path of the operation in the document. Absent for a request to no operation. */
  described?: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const texts = fc.oneof(
  fc.constantFrom(
    'ships',
    '"ships at sea"',
    'ships -boats',
    'site:a.example',
    'a.example',
    '漢字 テスト',
    '🚢',
    '',
    ' ',
    '"',
    '-',
    '*',
    '2024-02-29',
    '2026-02-30',
    '7d',
    '2w',
    '1mo',
    '90min',
    '1700000000',
    '2024-05-31T00:00:00+02:00',
    '9999-12-31',
    '-1d',
    '\u0000',
    '\ud800',
    '\u202e',
    '%',
    '%00',
    "'; drop table",
    '<script>',
    '../../etc/passwd',
    '$(x)',
    '__proto__',
    'x'.repeat(256),
    '🚢'.repeat(2_048),
    'a '.repeat(1_024),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/** Texts for fields that accept less than their schema allows, so that enough requests are valid. */
const understood: readonly [RegExp, fc.Arbitrary<string>][] = [
  [
    /^(query)$/,
    fc.constantFrom('ships', 'ships at sea', '漢字', '"ships" -boats', 'https://a.example/', 'site:a.example ships'),
  ],
  [
    /^(acquired|published)_(after|before)$/,
    fc.constantFrom('2024-02-01', '7d', '1mo', '2024-05-31T00:00:00+02:00', ''),
  ],
  [/^query_time$/, fc.constantFrom('2024-06-01', '2w', '1700000000', '')],
  [/^(sites|exclude_sites)$/, fc.constantFrom('a.example', 'b.example')],
  [/^facets$/, fc.constantFrom('tags', 'price:10')],
  [/^sort$/, fc.constantFrom('score', 'published_at:desc', 'acquired_at:asc', '')],
  [/^cursor$/, fc.constant('')],
  [/^site$/, fc.constantFrom('a.example', 'example', '')],
  [/^language$/, fc.constantFrom('en', 'de', 'pt-BR', '')],
]

function textFor(name: string): fc.Arbitrary<string> {
  const known = understood.find(([pattern]) => pattern.test(name))
  return known ? fc.oneof({ weight: 60, arbitrary: known[1] }, { weight: 1, arbitrary: texts }) : texts
}

const urls = fc.oneof(
  // Only these two are in the index. They are drawn often, because most requests are refused for another field.
  { weight: 30, arbitrary: fc.constantFrom('https://a.example/', 'https://b.example/') },
  { weight: 2, arbitrary: fc.constant('https://none.example/') },
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 9 }).map(i => `https://target.example/${i}`) },
  fc.constantFrom(
    'http://127.0.0.1/',
    'http://[::1]:80/',
    'http://169.254.169.254/',
    'file:///etc/hosts',
    'https://u:p@a.example/',
    'javascript:alert(1)',
    'https://',
    'https://a.example:99999/',
    'a.example',
    'data:text/plain,x',
    'https://xn--/',
  ),
  texts,
)

/** Filters on fields: the schema allows any object. */
const filters = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom<unknown>(
      {},
      { price: { lt: 20 } },
      { not: { tags: ['a', 1, true] } },
      { any: [{ a: { exists: false } }, { b: '2026-01-01' }] },
    ),
  },
  { weight: 1, arbitrary: fc.object({ maxDepth: 3 }) },
)

/** Values of fields that many requests must not have, because they are valid only with some values of others. */
const seldom: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  typing: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  weights: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<unknown>({}, { title: 6 }) },
    fc.constantFrom<unknown>({ fields: { tags: 2 } }, { title: -1 }, { fields: { tags: 'x' } }, []),
  ),
}

/** Generates values that the schema allows, with awkward strings. */
function valid(schema: RequestSchema, name = ''): fc.Arbitrary<unknown> {
  if (name === 'filter') return filters
  const rare = seldom[name]
  if (rare) return rare
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(one => valid(one, name)))
  switch (schema.type) {
    case 'integer': {
      const { minimum = -1_000, maximum = 1_000_000 } = schema
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.uniqueArray(schema.items ? valid(schema.items, name) : texts, { minLength: 1, maxLength: 3 })
    case 'object': {
      const required = schema.required ?? []
      const known: Record<string, fc.Arbitrary<unknown>> = {}
      for (const [name, field] of Object.entries(schema.properties ?? {})) known[name] = valid(field, name)
      if (Object.keys(known).length > 0) return fc.record<Fields, string>(known, { requiredKeys: required })
      return fc.dictionary(
        urls,
        typeof schema.additionalProperties === 'object' ? valid(schema.additionalProperties) : texts,
      )
    }
    default:
      return schema.format === 'uri' ? urls : textFor(name)
  }
}

/** Generates values just outside of what the schema allows, or far outside. */
function invalid(schema: RequestSchema): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000 } = schema
  return fc.oneof(
    fc.constantFrom(
      minimum - 1,
      maximum + 1,
      1.5,
      -0,
      1e308,
      Number.MAX_SAFE_INTEGER,
      '1e1',
      'NaN',
      '',
      null,
      true,
      'yes',
    ),
    fc.constantFrom([], {}, [[]], { $ne: 1 }, 'x'.repeat((schema.maxLength ?? 2_048) + 1), '🚢'.repeat(3_000)),
    texts,
  )
}

type Fields = Record<string, unknown>

/** Generates fields that are mostly valid. Otherwise one field is invalid, missing, or unknown. */
function fieldsOf(schema: RequestSchema): fc.Arbitrary<Fields> {
  const names = Object.keys(schema.properties ?? {})
  const good = valid(schema) as fc.Arbitrary<Fields>
  if (names.length === 0) return good
  const anyName = fc.constantFrom(...names)
  const withBad = fc
    .tuple(
      good,
      anyName.chain(name => fc.tuple(fc.constant(name), invalid(schema.properties![name]!))),
    )
    .map(([fields, [name, value]]) => ({ ...fields, [name]: value }))
  const without = fc
    .tuple(good, anyName)
    .map(([fields, lacking]) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== lacking)))
  const withMore = fc
    .tuple(
      good,
      fc.constantFrom('page', '__proto__', 'constructor', 'queryTime', '', '\u0000', 'x'.repeat(5_000)),
      texts,
    )
    .map(([fields, name, value]) => Object.fromEntries([...Object.entries(fields), [name, value]]))
  return fc.oneof(
    { weight: 6, arbitrary: good },
    { weight: 3, arbitrary: withBad },
    { weight: 1, arbitrary: without },
    { weight: 1, arbitrary: withMore },
  )
}

const hostileBodies = fc.constantFrom(
  '',
  '{',
  'null',
  '[]',
  '"query"',
  '1e999',
  '{"query":"a"}x',
  '{"query":"a","query":"b"}',
  '\ufeff{"query":"a"}',
  '[]'.repeat(1_000),
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  '{"query":"a","__proto__":{"mode":"realtime"}}',
  `{"query":"${'a'.repeat(300_000)}"}`,
  `{${Array.from({ length: 5_000 }, (_, i) => `"f${i}":1`).join()}}`,
)

const bodyTypes = fc.oneof(
  { weight: 30, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'x',
  ),
)

function queryOf(fields: Fields): string {
  // Lists of texts are separated by commas, as `String` does it.
  const textOf = (value: unknown) =>
    typeof value === 'object' && !Array.isArray(value) ? (JSON.stringify(value) ?? '') : String(value)
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [
    name.toWellFormed(),
    textOf(value).toWellFormed(),
  ])
  return new URLSearchParams(pairs).toString()
}

/** Limits the request line to a length that servers accept. */
const MAX_QUERY_CHARS = 12_000

function targetOf(path: string, query: string): string {
  return query === '' ? path : `${path}?${query.slice(0, MAX_QUERY_CHARS).replace(/%.?$/, '')}`
}

const anyTitle = fc.oneof({ weight: 8, arbitrary: fc.constant('fuzz') }, fc.constantFrom('', '  ', 'x'.repeat(1_000)))

const base64Json = fc.json({ maxDepth: 4 }).map(text => Buffer.from(text).toString('base64'))

/** Generates payments that no wallet has signed. */
const payments = fc.oneof(
  base64Json,
  base64Json.map(text => `Payment ${text}`),
  fc.base64String({ maxLength: 200 }),
  fc.constantFrom('Payment', 'Payment ', 'null', 'e30=', 'x'.repeat(4_000)),
  fc
    .record({
      x402Version: fc.constantFrom(2, 1, '2'),
      accepted: fc.object({ maxDepth: 1 }),
      payload: fc.record({
        signature: fc.constantFrom(`0x${'00'.repeat(65)}`, '0x', ''),
        authorization: fc.record({
          from: fc.constantFrom(`0x${'ab'.repeat(20)}`, '0x'),
          nonce: fc.constantFrom(`0x${'cd'.repeat(32)}`, ''),
          validBefore: fc.constantFrom('0', '99999999999999999999999', 'x'),
        }),
      }),
    })
    .map(payment => Buffer.from(JSON.stringify(payment)).toString('base64')),
)

/** Generates the headers that an operation names, some of them missing. */
function headerParameters({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const named = parameters.filter(({ name, in: place }) => place === 'header' && name !== 'X-Service-Title')
  const values = named.map(({ name }): [string, fc.Arbitrary<string>] => [
    name.toLowerCase(),
    /^payment-/i.test(name) ? payments : fc.constantFrom('a', 'b', '', 'x'.repeat(256)),
  ])
  const headers = fc.record(Object.fromEntries(values), { requiredKeys: [] })
  return headers as fc.Arbitrary<Record<string, string>>
}

/** Generates paths with values for the parameters of a described path. */
function pathOf({ path, parameters }: Operation): fc.Arbitrary<string> {
  const places = parameters.filter(parameter => parameter.in === 'path')
  const values = places.map(({ schema, name }) =>
    fc.oneof({ weight: 8, arbitrary: valid(schema ?? {}, name) }, { weight: 1, arbitrary: texts }),
  )
  return fc.tuple(...values).map(chosen =>
    places.reduce((made, { name }, i) => {
      const value = encodeURIComponent(String(chosen[i]).toWellFormed()).slice(0, 100).replace(/%.?$/, '')
      return made.replace(`{${name}}`, value === '' || /^\.+$/.test(value) ? 'x' : value)
    }, path),
  )
}

/** Generates requests to one operation: valid, nearly valid and hostile ones. */
function requestTo(operation: Operation, keys: fc.Arbitrary<Record<string, string>>): fc.Arbitrary<WireRequest> {
  const queried: RequestSchema = {
    type: 'object',
    properties: Object.fromEntries(
      operation.parameters.flatMap(each => (each.in === 'query' ? [[each.name, schemaOf(each)]] : [])),
    ),
    required: operation.parameters.flatMap(({ name, required }): string[] => (required ? [name] : [])),
  }
  const headers = fc
    .tuple(keys, fc.option(anyTitle, { freq: 10 }), headerParameters(operation))
    .map(([key, title, named]) => {
      const others = title === null ? named : { 'x-service-title': title, ...named }
      return operation.credential ? { ...key, ...others } : others
    })
  const { method, path: described, body } = operation
  const paths = pathOf(operation)
  if (!body) {
    const query = fc.oneof(
      { weight: 12, arbitrary: fieldsOf(queried).map(queryOf) },
      fc.constantFrom('', '?', '&&&', 'query', 'query=a&query=b', 'url=%ff%fe', 'query[]=a', '=', 'query=%', '%'),
    )
    const path = fc.tuple(paths, query).map(([path, text]) => targetOf(path, text))
    return fc.record({ described: fc.constant(described), method: fc.constant(method), path, headers })
  }
  const text = fc.oneof({ weight: 12, arbitrary: fieldsOf(body).map(fields => JSON.stringify(fields)) }, hostileBodies)
  const stray = fc.oneof({ weight: 15, arbitrary: fc.constant('') }, fieldsOf(queried).map(queryOf))
  return fc.tuple(paths, headers, text, bodyTypes, stray).map(([path, given, content, type, query]) => ({
    described,
    method,
    path: targetOf(path, query),
    headers: { ...given, 'content-type': type },
    body: content,
  }))
}

/** Generates requests with paths and methods that no operation has. */
function elsewhere(operations: Operation[]): fc.Arbitrary<WireRequest> {
  const paths = operations.map(({ path }) => path)
  return fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.oneof(
      fc.constantFrom(...paths),
      fc.constantFrom(
        '/',
        '/v1',
        '/v1/search/',
        '/V1/SEARCH',
        '//v1/search',
        '/v1/search/public/x',
        '/v1/%73earch/public',
      ),
      fc.constantFrom('/admin/org/list', '/metrics', '/..%2f', '/%', '/%ff', '/v1/fetch;x', `/${'x'.repeat(5_000)}`),
    ),
    headers: fc.constantFrom<Record<string, string>>({}, { 'x-service-title': 'fuzz' }, { 'x-api-key': 'asof_none' }),
  })
}

/** Generates requests to all operations of a document, and some to paths that it does not describe. */
export function anyRequest(
  operations: Operation[],
  keys: fc.Arbitrary<Record<string, string>>,
  agents: fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<WireRequest> {
  const credentials = {
    key: fc.oneof({ weight: 9, arbitrary: keys }, { weight: 1, arbitrary: agents }),
    agent: fc.oneof({ weight: 9, arbitrary: agents }, { weight: 1, arbitrary: keys }),
  }
  return fc.oneof(
    ...operations.map(operation => ({
      weight: operation.path.startsWith('/v1/') ? 10 : 2,
      arbitrary: requestTo(operation, credentials[operation.credential ?? 'key']),
    })),
    { weight: 6, arbitrary: elsewhere(operations) },
  )
}
