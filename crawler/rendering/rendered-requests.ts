import type { Frame, Page, Request, Route } from 'playwright-core'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import { siteOf } from '../site.ts'

const MAX_REQUESTS = 100
/** Resource types that do not affect the text of a page. */
const unwanted = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'cspreport', 'beacon'])

/**
 * Answers the requests of one page in a browser by means of the crawler's fetcher. Makes only GET requests, at most 100. The
 * browser decides which scripts may read an answer. It gets the CORS headers of the server and no further permission (Fetch
 * standard, 3.3 CORS protocol).
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
   * @param page - the fetched page. The request for it is answered without another fetch.
   * @param allowed - decides whether a URL may be fetched.
   * @param over - aborts the running requests when the rendering of the page is over.
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
      // For the page, a URL that cannot be fetched is like any other failed request. abort() itself fails if the tab of the request,
      // such as a popup, is closed. Such a request needs no answer.
      await route.abort('failed').catch(() => {})
    }
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const url = new URL(request.url())
    const frame = request.frame()
    if (frame.page() !== this.#tab) return await route.abort('blockedbyclient')
    if (request.isNavigationRequest() && frame.parentFrame() === null) {
      // A script navigates to another page. Status 204 makes the browser stay on this one.
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
      // Headers of the corpus, such as `Authorization`, are sent only to the site of the page, and not for frames of other sites.
      anonymous: !isAskedBySameSite(request, url),
    })
    await fulfill(route, answer)
  }
}

/** True if the frame that made a request shows a page of the requested URL's site. */
function isAskedBySameSite(request: Request, url: URL): boolean {
  const frame = request.frame()
  // The parent frame requests the document of a frame.
  const asking: Frame | null = request.isNavigationRequest() ? frame.parentFrame() : frame
  // A frame without a URL of its own (`about:srcdoc`) counts as a frame of another site.
  const from = URL.parse(asking?.url() ?? '')
  return from !== null && siteOf(from) === siteOf(url)
}

async function fulfill(route: Route, { status, headers, body }: FetchedPage): Promise<void> {
  // The body is already decoded, and cookies are not kept.
  const { 'content-encoding': _, 'content-length': __, 'transfer-encoding': ___, 'set-cookie': ____, ...rest } = headers
  await route.fulfill({
    status,
    // Without this header Playwright would let the requesting origin read the answer. So the header names the answer's own origin.
    headers: { 'access-control-allow-origin': new URL(route.request().url()).origin, ...rest },
    body: Buffer.from(body),
  })
}
