import type { Engine } from '@asof/core'
import type { Access } from '../../../service/accounts/index.ts'
import { additionQuery, additionResponse, addPages, refusedFields, ServiceError } from '../../../service/index.ts'
import { type Administrators, actorOf, admitAdministrators, expectAdministrator } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** Maximum size of a body. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024
/** Maximum number of additions at a time, whose bodies are in memory. */
const MAX_ADDITIONS = 4
/** Time for one addition: a slow disk may take a minute for a body of this size. */
const ADDITION_MS = 10 * 60_000

/** The media types of JSON Lines. None of them is registered. */
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']

const schema = {
  operationId: 'admin_pages_add',
  summary: 'Administration: pages add',
  description:
    'Adds pages, removals and sightings from JSON Lines, as `asof import` does, also compressed by gzip or Zstandard. The pages are on disk before the answer. Lines that are not valid are listed in the answer, and the others are added. The same body again changes nothing.',
  security: [{ AdminToken: [] }],
  querystring: additionQuery,
  bodyContent: { 'application/x-ndjson': { schema: { type: 'string', description: 'A record in each line.' } } },
  responses: {
    200: jsonAnswer('What was added, also if some lines failed.', named('AdditionResponse', additionResponse)),
    ...failures([...always, 'unauthorized', 'payload_too_large']),
  },
}

/** Adds the route by which administrators add pages to the index. It needs the admin token. */
export function addAdditionRoute(
  app: App,
  { engine, access }: { engine: Pick<Engine, 'add' | 'page'>; access: Access },
  administrators: Administrators,
): void {
  admitAdministrators(app, administrators)
  let underWay = 0
  // Other routes refuse a caller after the body was read. A body of this size is read for administrators only, and not for many at a time.
  app.addHook('onRequest', async request => {
    expectAdministrator(request, administrators)
    if (underWay < MAX_ADDITIONS) return
    throw new ServiceError('overloaded', 'Other pages are being added. Try again.', { retryAfterSeconds: 1 })
  })
  // The parser of JSON, which all routes have, would keep the values of a large body in memory.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(LINE_TYPES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser('*', (_request, _payload, done) =>
    done(new ServiceError('unsupported_media_type', `The body must be ${LINE_TYPES[0]}.`)),
  )
  app.route({
    method: 'POST',
    url: '/admin/pages/add',
    bodyLimit: BODY_LIMIT_BYTES,
    handlerTimeout: ADDITION_MS,
    schema,
    onRequest: async (_request, reply) => {
      underWay += 1
      reply.raw.once('close', () => {
        underWay -= 1
      })
    },
    handler: async request => {
      const { body } = request
      // A request without a content type has no body.
      if (!(body instanceof Uint8Array))
        throw refusedFields('invalid_request', [{ path: '', reason: 'The body is empty.' }])
      const facts = { bytes: body.length }
      await access.record({ actor: actorOf(request), act: 'pages.add', target: 'pages', facts })
      return addPages(engine, body, request.query)
    },
  })
}
