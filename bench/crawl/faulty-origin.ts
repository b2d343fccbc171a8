import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seededRandom } from '../apparatus/random.ts'

const childrenOf = 8
/** Share of requests that fail. */
const faultShare = 0.08
/** Maximum number of consecutive faults for one page. The third attempt then always succeeds. */
const faultsInARow = 2
/** Share of 304 answers after which the page changes. */
const changeShare = 0.1

/**
 * A web on loopback with random faults, one port per host: error statuses, closed connections, truncated bodies, slow answers and
 * invalid gzip. The pages form a tree below page 0, and change over time.
 */
export class FaultyOrigin {
  readonly pages: number
  readonly faults: Record<string, number> = {}
  /** Number of complete answers (200 or 304) for each page since {@link forget}. */
  readonly answers = new Map<number, number>()
  readonly #versions = new Map<number, number>()
  readonly #failed = new Map<number, number>()
  readonly #random: () => number
  #servers: Server[] = []
  #origins: string[] = []

  constructor(pages: number, seed: number) {
    this.pages = pages
    this.#random = seededRandom(seed).next
  }

  async listen(hosts: number): Promise<void> {
    for (let host = 0; host < hosts; host++) {
      const server = createServer((request, response) => this.#answer(request, response))
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      this.#servers.push(server)
      this.#origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    }
  }

  /** URLs to start a crawl with: one page of each host. All pages can be reached from them. */
  get seeds(): string[] {
    return this.#origins.map((_, page) => this.urlOf(page))
  }

  urlOf(page: number): string {
    return `${this.#origins[page % this.#origins.length]}/page/${page}`
  }

  /** Returns the current text of a page. */
  textOf(page: number): string {
    return `Page ${page} in version ${this.#versions.get(page) ?? 0}`
  }

  forget(): void {
    this.answers.clear()
    this.#failed.clear()
  }

  close(): void {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const page = Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
    if (!(page < this.pages)) {
      response.writeHead(404).end()
      return
    }
    const failed = this.#failed.get(page) ?? 0
    if (failed < faultsInARow && this.#random() < faultShare) {
      this.#failed.set(page, failed + 1)
      this.#fail(response, page)
    } else this.#serve(request, response, page)
  }

  #serve(request: IncomingMessage, response: ServerResponse, page: number): void {
    this.answers.set(page, (this.answers.get(page) ?? 0) + 1)
    const etag = `"${this.#versions.get(page) ?? 0}"`
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end()
      // The page changes after the answer, so the next run must find the change.
      if (this.#random() < changeShare) this.#versions.set(page, (this.#versions.get(page) ?? 0) + 1)
      return
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(this.#html(page))
  }

  #html(page: number): string {
    const children = Array.from({ length: childrenOf }, (_, i) => page * childrenOf + i + 1).filter(n => n < this.pages)
    const links = children.map(child => `<li><a href="${this.urlOf(child)}">page ${child}</a></li>`).join('')
    const filler = Array.from({ length: 60 }, (_, i) => `Sentence ${i} about subject ${(page * 31 + i) % 997}.`).join(
      ' ',
    )
    return `<!doctype html><html lang="en"><title>Page ${page}</title><main><p>${this.textOf(page)}.</p><p>${filler}</p><ul>${links}</ul></main></html>`
  }

  #fail(response: ServerResponse, page: number): void {
    const faults: [name: string, act: () => void][] = [
      ['503', () => response.writeHead(503).end()],
      ['429', () => response.writeHead(429, { 'retry-after': '1' }).end()],
      ['closed connection', () => response.destroy()],
      [
        'broken body',
        () => {
          response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000' })
          response.write(this.#html(page), () => response.destroy())
        },
      ],
      [
        'slow',
        () => {
          setTimeout(() => response.writeHead(503).end(), 1500)
        },
      ],
      [
        'invalid gzip',
        () => response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('x'),
      ],
    ]
    const [name, act] = faults[Math.floor(this.#random() * faults.length)]!
    this.faults[name] = (this.faults[name] ?? 0) + 1
    act()
  }
}
