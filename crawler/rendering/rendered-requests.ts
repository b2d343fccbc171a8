import type { Frame, Page, Request, Route } from 'playwright-core'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import { siteOf } from '../site.ts'

const MAX_REQUESTS = 100
/** Types of resources that do not affect the text of a page. */
const unwanted = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'cspreport', 'beacon'])

/**
 * Answers the requests of a page in a browser through the crawler's fetcher. Only GET requests, at most 100. The
 * browser enforces CORS by the server's own headers (Fetch standard, 3.3 CORS protocol).
 */
export class RenderedRequests {
  readonly #fetcher: Fetcher
  readonly #page: FetchedPage
  readonly #allowed: (url: URL) => boolean
  readonly #over: AbortSignal
  #tab: Page | undefined
  #asked = 0
  #opened = false

  /**
   * @param page - the fetched page, which is not fetched again.
   * @param allowed - returns true if a URL may be fetched.
   * @param over - aborts running requests when rendering ends.
   */
  constructor(fetcher: Fetcher, page: FetchedPage, allowed: (url: URL) => boolean, over: AbortSignal) {
    this.#fetcher = fetcher
    this.#page = page
    this.#allowed = allowed
    this.#over = over
  }

  /** Sets the tab of the page. Requests of other tabs, such as popups, are blocked. */
  expect(tab: Page): void {
    this.#tab = tab
  }

  /** Answers a request that the browser intercepted. */
  async answer(route: Route): Promise<void> {
    try {
      await this.#answer(route)
    } catch {
      // To the page, a URL that may not be fetched looks like any failed request. abort() itself fails if the tab is
      // closed, which does not matter.
      await route.abort('failed').catch(() => {})
    }
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const url = new URL(request.url())
    const frame = request.frame()
    if (frame.page() !== this.#tab) return await route.abort('blockedbyclient')
    if (request.isNavigationRequest() && frame.parentFrame() === null) {
      // A script tries to open another page. Status 204 keeps the browser on this one.
      if (this.#opened) return await route.fulfill({ status: 204 })
      this.#opened = true
      return await fulfill(route, this.#page)
    }
    const wanted = request.method() === 'GET' && !unwanted.has(request.resourceType())
    if (!wanted || ++this.#asked > MAX_REQUESTS || !this.#allowed(url)) return await route.abort('blockedbyclient')
    const { origin } = request.headers()
    const answer = await this.#fetcher.fetch(url.href, {
      signal: this.#over,
      origin,
      // Secret headers of the corpus, such as `Authorization`, are sent only if a frame of the same site asks.
      anonymous: !isAskedBySameSite(request, url),
    })
    await fulfill(route, answer)
  }
}

/** True if the request comes from a frame that shows a page of the requested site. */
function isAskedBySameSite(request: Request, url: URL): boolean {
  const frame = request.frame()
  // The document of a frame is requested by the parent frame.
  const asking: Frame | null = request.isNavigationRequest() ? frame.parentFrame() : frame
  // A frame without a URL of its own (`about:srcdoc`) counts as another site.
  const from = URL.parse(asking?.url() ?? '')
  return from !== null && siteOf(from) === siteOf(url)
}

async function fulfill(route: Route, { status, headers, body }: FetchedPage): Promise<void> {
  // The body is decoded already, and cookies are not kept.
  const { 'content-encoding': _, 'content-length': __, 'transfer-encoding': ___, 'set-cookie': ____, ...rest } = headers
  await route.fulfill({
    status,
    // Without this header, Playwright would let any page read the answer. Naming the answer's own origin prevents that.
    headers: { 'access-control-allow-origin': new URL(route.request().url()).origin, ...rest },
    body: Buffer.from(body),
  })
}
