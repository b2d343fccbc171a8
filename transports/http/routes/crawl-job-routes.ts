import { queryInstant } from '@asof/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Access, CountByAddress } from '../../../service/accounts/index.ts'
import type { CrawlJobs, JobAsker, JobReader } from '../../../service/crawl-jobs/index.ts'
import {
  crawlJobErrorsResponse,
  crawlJobPagesResponse,
  crawlJobQuery,
  crawlJobRequest,
  crawlJobResponse,
  crawlJobsResponse,
  mapRequest,
  type Service,
  type WireErrorName,
} from '../../../service/index.ts'
import { admitKeys, callerOf } from '../admission/keys.ts'
import { asNamed } from '../admission/named-instants.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { byKey } from '../schema/parameters.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

export interface CrawlJobParts {
  service: Service
  access: Access
  jobs: CrawlJobs
}

/** Returns the instant that a request names outside of its fields, or `query_time`. */
export function instantNamed(request: FastifyRequest, query_time?: string): string | undefined {
  return asNamed(request, 'map', mapRequest.parse({ url: 'https://example.com/', query_time })).query_time
}

/** Returns who asks for a job, by its key. */
export function askerOf(request: FastifyRequest, { access, service }: CrawlJobParts): JobAsker {
  return { account: access.organizationAccount(callerOf(request)), service: serviceFor(service, request) }
}

/** Returns who reads jobs, by its key: nothing later than its seal, and than the instant that the request names. */
export function readerOf(request: FastifyRequest, { service }: Pick<CrawlJobParts, 'service'>): JobReader {
  const { sealedAt, now } = serviceFor(service, request)
  const time = instantNamed(request)
  const until =
    time === undefined ? sealedAt : Math.min(queryInstant(time, now()), sealedAt ?? Number.POSITIVE_INFINITY)
  return { organization: callerOf(request).organization.id, until }
}

const readFailures = [...always, 'unauthorized', 'forbidden'] as const
const jobFailures: readonly WireErrorName[] = [...readFailures, 'not_found']
const security = byKey
const params = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

const schemas = {
  start: {
    operationId: 'crawls_start',
    summary: 'Crawl a site, now or as the index had it',
    description:
      'Starts a job, which reads pages in the background. It reserves a credit for each page of its limit, charges one for each page that it delivers, and returns the rest when it ends.',
    security,
    body: named('CrawlRequest', crawlJobRequest),
    responses: {
      200: jsonAnswer('The job.', named('Crawl', crawlJobResponse)),
      ...failures([
        ...readFailures,
        'insufficient_credits',
        'address_refused',
        'zdr_unsupported_profile',
        'payload_too_large',
      ]),
    },
  },
  list: {
    operationId: 'crawls_list',
    summary: 'List the crawls of the organization',
    security,
    responses: {
      200: jsonAnswer('The jobs that have not expired.', named('Crawls', crawlJobsResponse)),
      ...failures(readFailures),
    },
  },
  read: {
    operationId: 'crawls_read',
    summary: 'Read the state and the pages of a crawl',
    security,
    params,
    querystring: crawlJobQuery,
    responses: {
      200: jsonAnswer('The job with some of its pages.', named('CrawlPages', crawlJobPagesResponse)),
      ...failures(jobFailures),
    },
  },
  errors: {
    operationId: 'crawls_errors',
    summary: 'List the pages that a crawl could not read',
    security,
    params,
    querystring: crawlJobQuery,
    responses: {
      200: jsonAnswer('The errors.', named('CrawlErrors', crawlJobErrorsResponse)),
      ...failures(jobFailures),
    },
  },
  cancel: {
    operationId: 'crawls_cancel',
    summary: 'Cancel a crawl',
    security,
    params,
    responses: {
      200: jsonAnswer('The job, whose pages can still be read.', crawlJobResponse),
      ...failures(jobFailures),
    },
  },
}

function idOf({ params: sent }: FastifyRequest): string {
  return (sent as { id: string }).id
}

/** Adds the routes by which organizations crawl. All of them need a key. */
export function addCrawlJobRoutes(app: App, parts: CrawlJobParts, byAddress: CountByAddress): void {
  const { access, jobs } = parts
  admitKeys(app, access, byAddress)
  const route = { config: { hasPast: true }, exposeHeadRoute: false }
  app.post('/v1/crawls', { ...route, schema: schemas.start }, async request => {
    const query_time = instantNamed(request, request.body.query_time)
    return await jobs.start({ ...request.body, query_time }, askerOf(request, parts))
  })
  app.get('/v1/crawls', { ...route, schema: schemas.list }, request => jobs.list(readerOf(request, parts)))
  app.get('/v1/crawls/:id', { ...route, schema: schemas.read }, request =>
    jobs.read(idOf(request), readerOf(request, parts), request.query.cursor),
  )
  app.get('/v1/crawls/:id/errors', { ...route, schema: schemas.errors }, request =>
    jobs.errors(idOf(request), readerOf(request, parts), request.query.cursor),
  )
  app.delete('/v1/crawls/:id', { ...route, schema: schemas.cancel }, request =>
    jobs.cancel(idOf(request), readerOf(request, parts)),
  )
}
