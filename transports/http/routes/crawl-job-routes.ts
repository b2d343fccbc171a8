import type { FastifyRequest } from 'fastify'
import type { CountByAddress } from '../../../service/accounts/index.ts'
import type { CallerCrawls } from '../../../service/crawl-jobs/index.ts'
import {
  crawlJobErrorsResponse,
  crawlJobPagesResponse,
  crawlJobQuery,
  crawlJobRequest,
  crawlJobResponse,
  crawlJobsResponse,
  type WireErrorName,
} from '../../../service/index.ts'
import { type CrawlParts, callerCrawls } from '../admission/caller-crawls.ts'
import { admitKeys } from '../admission/keys.ts'
import { byKey } from '../schema/parameters.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

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
    body: named('CrawlJobRequest', crawlJobRequest),
    responses: {
      200: jsonAnswer('The job.', named('CrawlJob', crawlJobResponse)),
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
      200: jsonAnswer('The jobs that have not expired.', named('CrawlJobs', crawlJobsResponse)),
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
      200: jsonAnswer('The job with some of its pages.', named('CrawlJobPages', crawlJobPagesResponse)),
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
      200: jsonAnswer('The errors.', named('CrawlJobErrors', crawlJobErrorsResponse)),
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
export function addCrawlJobRoutes(app: App, parts: CrawlParts, byAddress: CountByAddress): void {
  admitKeys(app, parts.access, byAddress)
  const route = { config: { hasPast: true }, exposeHeadRoute: false }
  const crawls = (request: FastifyRequest): CallerCrawls => callerCrawls(request, parts)
  app.post('/v1/crawls', { ...route, schema: schemas.start }, request => crawls(request).start(request.body))
  app.get('/v1/crawls', { ...route, schema: schemas.list }, request => crawls(request).list())
  app.get('/v1/crawls/:id', { ...route, schema: schemas.read }, request =>
    crawls(request).read(idOf(request), request.query.cursor),
  )
  app.get('/v1/crawls/:id/errors', { ...route, schema: schemas.errors }, request =>
    crawls(request).errors(idOf(request), request.query.cursor),
  )
  app.delete('/v1/crawls/:id', { ...route, schema: schemas.cancel }, request => crawls(request).cancel(idOf(request)))
}
