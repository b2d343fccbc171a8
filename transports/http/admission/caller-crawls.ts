import { queryInstant } from '@asof/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Access } from '../../../service/accounts/index.ts'
import type { CallerCrawls, CrawlJobs, JobReader } from '../../../service/crawl-jobs/index.ts'
import type { Service } from '../../../service/index.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { callerOf } from './keys.ts'
import { timeNamed } from './named-instants.ts'

/** What the crawls of callers need of the server. */
export interface CrawlParts {
  service: Service
  access: Access
  jobs: CrawlJobs
}

/** Returns the crawls of the caller of a request, which has a key. */
export function callerCrawls(request: FastifyRequest, { service: whole, access, jobs }: CrawlParts): CallerCrawls {
  const caller = callerOf(request)
  const service = serviceFor(whole, request)
  const reader = (): JobReader => {
    const time = timeNamed(request)
    const named = time === undefined ? undefined : queryInstant(time, service.now())
    const bounds = [named, service.sealedAt].filter(bound => bound !== undefined)
    return { organization: caller.organization.id, until: bounds.length === 0 ? undefined : Math.min(...bounds) }
  }
  return {
    start: async (asked, note) => {
      const query_time = timeNamed(request, asked.query_time)
      return await jobs.start({ ...asked, query_time }, { account: access.organizationAccount(caller), service, note })
    },
    read: async (id, cursor) => await jobs.read(id, reader(), cursor),
    noteOf: async id => await jobs.noteOf(id, reader()),
    errors: async (id, cursor) => await jobs.errors(id, reader(), cursor),
    cancel: async id => await jobs.cancel(id, reader()),
    list: async () => await jobs.list(reader()),
    ended: (id, signal) => jobs.ended(id, signal),
  }
}
