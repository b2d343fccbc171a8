import type { Frame, Page, Request, Route } from 'playwright-core'
import { siteOf } from '../discovery/scope.ts'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'

const MAX_REQUESTS = 100
/** Types of resources that change no text. */
const unwanted = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'cspreport', 'beacon'])

/**
 * Answers the requests of one page in a browser. Only GETs are made, 100 at most. The browser judges who may read an
 * answer: it gets the server's own headers, and no more permission than these give (Fetch standard, 3.3 CORS protocol).
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
   * @param page - the document of the page, which is not fetched again.
   * @param over - ends the requests under way.
   */
  constructor(fetcher: Fetcher, page: FetchedPage, allowed: (url: URL) => boolean, over: AbortSignal) {
    this.#fetcher = fetcher
    this.#page = page
    this.#allowed = allowed
    this.#over = over
  }

  /** Sets the tab that shows the page. */
  expect(tab: Page): void {
    this.#tab = tab
  }

  async answer(route: Route): Promise<void> {
    try {
      await this.#answer(route)
    } catch {
      // To the page, what cannot be fetched is a failed request like any other. A request whose tab is gone, such as that
      // of a popup, can not be answered at all.
      await route.abort('failed').catch(() => {})
    }
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const url = new URL(request.url())
    const frame = request.frame()
    if (frame.page() !== this.#tab) return await route.abort('blockedbyclient')
    if (request.isNavigationRequest() && frame.parentFrame() === null) {
      // A page that sends its reader elsewhere by script is taken as it was: "no content" keeps the browser on it.
      if (this.#opened) return await route.fulfill({ status: 204 })
      this.#opened = true
      return await fulfill(route, this.#page)
    }
    const wanted = request.method() === 'GET' && !unwanted.has(request.resourceType())
    if (!wanted || ++this.#asked > MAX_REQUESTS || !this.#allowed(url)) return await route.abort('blockedbyclient')
    const { origin } = request.headers()
    const answer = await this.#fetcher.fetch(url.href, {
      signal: this.#over,
      ...(origin !== undefined && { origin }),
      // Headers of the corpus, such as `Authorization`, belong to the sites that it crawls, not to frames of others in them.
      anonymous: !isAskedBySameSite(request, url),
    })
    await fulfill(route, answer)
  }
}

/** Whether the frame that made a request shows a page of the requested URL's site. */
function isAskedBySameSite(request: Request, url: URL): boolean {
  const frame = request.frame()
  // A frame that is being opened is asked for by the one around it.
  const asking: Frame | null = request.isNavigationRequest() ? frame.parentFrame() : frame
  // Frames without a URL of their own (`about:srcdoc`) count as foreign.
  const from = URL.parse(asking?.url() ?? '')
  return from !== null && siteOf(from) === siteOf(url)
}

async function fulfill(route: Route, { status, headers, body }: FetchedPage): Promise<void> {
  // The body is decoded already, and nothing is remembered between pages.
  const { 'content-encoding': _, 'content-length': __, 'transfer-encoding': ___, 'set-cookie': ____, ...rest } = headers
  await route.fulfill({
    status,
    // Playwright permits the asking origin to read an answer that names none: an answer names its own instead.
    headers: { 'access-control-allow-origin': new URL(route.request().url()).origin, ...rest },
    body: Buffer.from(body),
  })
}
