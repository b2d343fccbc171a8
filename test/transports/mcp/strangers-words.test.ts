import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extract } from '../../../core/index.ts'
import { crawlErrorCodes } from '../../../crawler/errors.ts'
import { Fetcher, fetchPage, RobotsGate } from '../../../crawler/index.ts'
import { answerAsHostileSite, hostileAnswers, orderPattern } from '../../hostile-answers.ts'
import { get, post, query, type RunningServer, startServer, startTarget } from '../http/running-server.ts'
import { type Agent, connect } from './agents.ts'

const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

let server: RunningServer
let site: { url: string; close(): Promise<void> }
let agent: Agent
const fetcher = new Fetcher({ allowPrivate: true })
beforeAll(async () => {
  site = await startTarget(answerAsHostileSite)
  const gate = new RobotsGate(fetcher, Date.now)
  server = await startServer({
    allowPrivate: true,
    live: () => ({ mayFetch: (url, signal) => gate.check(url, signal) }),
  })
  agent = await connect({ url: `${server.url}/mcp` })
})
afterAll(async () => {
  await agent.close()
  await server.close()
  await fetcher.close()
  await site.close()
})

async function directly(url: string) {
  const { body, ...page } = await fetchPage(url, { allowPrivate: true })
  return await extract(body, { url: page.url, contentType: page.contentType })
}

/** Divides a text for a model into the words of asof and the texts between marks. */
function divided(text: string): { own: string; marked: string[] } {
  const marks = /<web-content-([0-9a-f]{12})>\n([\s\S]*?)\n<\/web-content-\1>/g
  return { own: text.replace(marks, ''), marked: Array.from(text.matchAll(marks), ([, , inner]) => inner!) }
}

describe('what a site says when a fetch fails', () => {
  it.each(Object.entries(hostileAnswers))('never speaks as asof to an agent: %s', async (path, { code }) => {
    if (code !== 'ASOF_ROBOTS_DISALLOWED') await expect(directly(site.url + path)).rejects.toMatchObject({ code })
    const { isError, text, meta } = await agent.call('fetch_page_content', { url: site.url + path, live: true })
    expect(isError).toBe(true)
    const { own, marked } = divided(text)
    expect(own).not.toMatch(orderPattern)
    expect(text).not.toMatch(unprintable)
    for (const inner of marked) {
      expect([...inner].length).toBeLessThanOrEqual(80)
      expect(inner).not.toContain('\n')
    }
    const { message, details, untrusted } = meta['service/error'] as Record<string, unknown>
    expect(message).not.toMatch(orderPattern)
    const { said } = (details ?? {}) as { said?: { text: string } }
    expect(untrusted).toEqual(said && ['details.said.text'])
    expect(marked).toEqual(said ? [said.text] : [])
    expect(own).toMatch(
      code === 'ASOF_FETCH_STATUS' ? /^Error target_not_found: The target answered 404/ : /^Error \w+: /,
    )
  })

  it.each(Object.keys(hostileAnswers))('is not in the warning of a search for its address: %s', async path => {
    const url = site.url + path
    const { text, structured } = await agent.call('search_web_pages', { query: url })
    expect(structured!.warning).toContain('the live fetch failed: ')
    expect(structured!.warning).not.toMatch(orderPattern)
    expect(structured!.untrusted).toEqual(['warning'])
    expect(divided(text).own).not.toMatch(orderPattern)
    const { body } = await post(`${server.url}/v1/search/public`, { query: url })
    expect(body.warning).toBe(structured!.warning)
  })

  it.each(Object.keys(hostileAnswers))(
    'is a detail of an answer over HTTP, and no part of its message: %s',
    async path => {
      const asked = query({ url: site.url + path, live: true })
      const { status, body } = await get(`${server.url}/v1/fetch/public?${asked}`)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body.message).not.toMatch(orderPattern)
      const { said } = (body.details ?? {}) as { said?: { where: string; text: string } }
      if (said === undefined) return
      expect(said.text.length).toBeLessThanOrEqual(80)
      expect(said.text).not.toMatch(unprintable)
    },
  )

  it('is tried for every code with which a fetch can fail', () => {
    // No site can cause these, or their messages have no text of a site: a time limit, and settings of the operator.
    const ofOthers = ['ASOF_FETCH_TIMEOUT', 'ASOF_CORPUS_INVALID', 'ASOF_LEASE_LOST', 'ASOF_RENDERER_MISSING']
    const tried = Object.values(hostileAnswers).map(({ code }) => code as string)
    expect(Object.keys(crawlErrorCodes).filter(code => !tried.includes(code))).toEqual(ofOthers)
  })
})
