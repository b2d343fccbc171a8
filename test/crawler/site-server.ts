import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a test site answers at a path: a body, or a function that writes the response. */
export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A web site on 127.0.0.1 that records its requests. */
export class SiteServer {
  readonly origin: string
  readonly routes: Map<string, Route>
  /** Every request in order: path with query, and headers. */
  readonly requests: { path: string; headers: IncomingMessage['headers'] }[] = []
  readonly #server: Server

  private constructor(server: Server, routes: Map<string, Route>) {
    this.#server = server
    this.routes = routes
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(routes: Record<string, Route> = {}): Promise<SiteServer> {
    let site: SiteServer | undefined
    const listener: RequestListener = (request, response) => site?.answer(request, response)
    const server = createServer({ keepAliveTimeout: 1000 }, listener)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    site = new SiteServer(server, new Map(Object.entries(routes)))
    return site
  }

  /** Returns the paths requested, without robots.txt; with `path`, only the requests for that path. */
  asked(path?: string): string[] {
    const paths = this.requests.map(request => request.path)
    return path === undefined ? paths.filter(other => other !== '/robots.txt') : paths.filter(other => other === path)
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    this.requests.push({ path, headers: request.headers })
    const route = this.routes.get(path)
    if (route === undefined) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here')
    } else if (typeof route === 'string') {
      response.writeHead(200, {
        'content-type': path.endsWith('.txt')
          ? 'text/plain'
          : path.endsWith('.xml')
            ? 'application/xml'
            : 'text/html; charset=utf-8',
      })
      response.end(route)
    } else route(request, response)
  }

  /** Returns the number of connections that are open. */
  openConnections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }
}

/** Redirects to another path. */
export const redirect =
  (to: string, status = 302): Route =>
  (_, response) => {
    response.writeHead(status, { location: to }).end()
  }

/** Makes an HTML page with enough text to be distinguished from others. */
export function page(title: string, links: string[] = [], head = ''): string {
  const body = `This is the text of ${title}. It says that ${title} is a page of its own, unlike any other page of the site.`
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${body}</p>${links.map(href => `<p><a href="${href}">to ${href}</a></p>`).join('')}</main></body></html>`
}
