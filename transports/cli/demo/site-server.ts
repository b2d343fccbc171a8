import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeOf } from '@asof/extract/errors'
import { pageFile, type SitePage } from './site-pages.ts'

/** The demo's website on loopback. */
interface DemoSite {
  /** URL of the site, with a trailing slash. */
  url: string
  /** Publishes a page. Replaces an earlier page with the same path. */
  publish(page: SitePage): void
  close(): Promise<void>
}

interface Answer {
  contentType: string
  body: string
}

function answerFor(path: string, origin: string, pages: ReadonlyMap<string, SitePage>): Answer | undefined {
  if (path === '/robots.txt') {
    return { contentType: 'text/plain', body: `User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n` }
  }
  if (path === '/sitemap.xml') {
    const urls = [...pages.keys()].map(page => `<url><loc>${origin}${page}</loc></url>`)
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
    return { contentType: 'application/xml', body }
  }
  const page = pages.get(path)
  return page && { contentType: 'text/markdown; charset=utf-8', body: pageFile(page, new Set(pages.keys())) }
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer | undefined): void {
  if (!answer) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n')
    return
  }
  const etag = `"${createHash('sha256').update(answer.body).digest('base64url').slice(0, 22)}"`
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end()
    return
  }
  response
    .writeHead(200, { 'content-type': answer.contentType, etag })
    .end(request.method === 'HEAD' ? '' : answer.body)
}

/**
 * Serves pages as a website on 127.0.0.1: Markdown with front matter, robots.txt, sitemap.xml and ETags.
 *
 * @param port - the port to use if it is free, so that a second demo finds the same URLs; otherwise any free port.
 */
export async function serveSite(published: readonly SitePage[], port: number): Promise<DemoSite> {
  const pages = new Map(published.map(page => [page.path, page]))
  let origin = ''
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    send(request, response, answerFor(path, origin, pages))
  })
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/`,
    publish: page => pages.set(page.path, page),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
