import type { Timeline } from '@asof/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type ClientCall,
  FIRST_MEMENTO_AT,
  firstCodePoints,
  limits,
  type Service,
  ServiceError,
} from '../../../service/index.ts'
import { prefersPlainText, varyBy } from '../../negotiation/negotiation.ts'
import { admitEverybody, type CountRequest } from '../admission/way-in.ts'
import { baseUrlOf, clientCall } from '../request/service-call.ts'
import type { App } from '../schema/route-schema.ts'
import { LINK_FORMAT, MementoLinks } from './memento-links.ts'
import { restOfTarget, splitSegment, targetUrl } from './memento-target.ts'
import { httpDate, parseHttpDate, parseStamp } from './memento-time.ts'

/** The kinds of versions that are mementos: a new text, and a removal. A change of metadata alone is not a memento. */
const mementoKinds: readonly string[] = ['capture', 'removal']

/** Number of digits of a time stamp with milliseconds, as in the URI of a memento. */
const FULL_STAMP = 17

function refuse(path: string, reason: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${reason}`, { details: [{ path, reason }] })
}

/**
 * Returns the version that was current at an instant, and its index. Returns the first version if the instant is earlier (RFC
 * 7089, 4.5).
 *
 * @param timeline - has at least one version.
 */
function selected({ versions }: Timeline, at: number): { index: number; version: Timeline['versions'][number] } {
  const index = Math.max(
    versions.findLastIndex(version => version.at <= at),
    0,
  )
  const version = versions[index]
  if (!version) throw new TypeError('the timeline has no version')
  return { index, version }
}

/**
 * Adds the Memento protocol (RFC 7089): TimeGate, TimeMap and mementos. A memento is a version of a page: up to 1,000,000
 * characters of its Markdown, or for a removal a 404 with a `Memento-Datetime`. Browsers get the Markdown as plain text, because
 * Chromium scrolls to a text fragment only in HTML and plain text. The routes need no key.
 *
 * @param count - counts requests for the rate limits of the keyless routes.
 */
export function addMementoRoutes(app: App, service: Service, count: CountRequest): void {
  admitEverybody(app, count)
  async function timelineOf(rest: string, call: ClientCall): Promise<Timeline> {
    const { url, versions } = await service.timeline(targetUrl(rest), call)
    const dated = versions.filter(({ kind, at }) => mementoKinds.includes(kind) && at >= FIRST_MEMENTO_AT)
    if (dated.length === 0)
      throw new ServiceError('not_indexed', 'The index holds no version of this page since the year 0.')
    return { url, versions: dated }
  }

  function redirect(reply: FastifyReply, links: MementoLinks, timeline: Timeline, at: number): FastifyReply {
    const { index, version } = selected(timeline, at)
    return reply
      .code(302)
      .headers({ location: links.memento(version.at), link: links.header(index) })
      .send()
  }

  async function timeGate(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    varyBy(reply, 'accept-datetime')
    const wanted = request.headers['accept-datetime']
    const at = wanted === undefined ? Number.POSITIVE_INFINITY : parseHttpDate(String(wanted))
    if (at === undefined) throw refuse('Accept-Datetime', 'must be a date such as Thu, 01 May 2025 12:00:00 GMT')
    const timeline = await timelineOf(restOfTarget(request.url, 1), clientCall(request, reply))
    return redirect(reply, new MementoLinks(baseUrlOf(request), timeline), timeline, at)
  }

  async function timeMap(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const whole = restOfTarget(request.url, 1)
    const [format, behind] = splitSegment(whole)
    const [stamp, page] = splitSegment(behind)
    const isPart = format === 'link' && /^\d+$/.test(stamp)
    const from = isPart && stamp.length === FULL_STAMP ? parseStamp(stamp) : undefined
    if (isPart && from === undefined) throw refuse('timemap', `${stamp.slice(0, 20)} is not a time of 17 digits, UTC`)
    const timeline = await timelineOf(isPart ? page : format === 'link' ? behind : whole, clientCall(request, reply))
    const body = new MementoLinks(baseUrlOf(request), timeline).timeMapBody(from)
    return reply.type(LINK_FORMAT).send(body)
  }

  async function memento(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [stamp, rest] = splitSegment(restOfTarget(request.url, 1))
    const at = parseStamp(stamp)
    if (at === undefined) throw refuse('memento', 'the path must begin with a time of 14 or 17 digits, UTC')
    const call = clientCall(request, reply)
    const timeline = await timelineOf(rest, call)
    const links = new MementoLinks(baseUrlOf(request), timeline)
    const { index, version } = selected(timeline, at)
    if (stamp.length < FULL_STAMP || version.at !== at) return redirect(reply, links, timeline, at)
    const headers = { 'memento-datetime': httpDate(at), link: links.header(index) }
    if (version.kind === 'removal') {
      reply.headers(headers)
      throw new ServiceError('not_indexed', `The page was removed at ${new Date(at).toISOString()}.`)
    }
    const page = await service.pageAt(timeline.url, at, call)
    // The version was purged after the timeline was read.
    if (page?.acquiredAt !== at) throw new ServiceError('not_indexed', 'The index no longer holds this version.')
    varyBy(reply, 'accept')
    const type = prefersPlainText(request.headers.accept) ? 'text/plain' : 'text/markdown'
    return reply
      .headers({ ...headers, 'x-content-type-options': 'nosniff' })
      .type(`${type}; charset=utf-8`)
      .send(firstCodePoints(page.markdown, limits.fetchChars.longest))
  }

  app.get('/timegate/*', timeGate)
  app.get('/timemap/*', timeMap)
  app.get('/memento/*', memento)
}
