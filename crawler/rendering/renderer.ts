import { isAsofError } from '@asof/core'
import { isError, type OptionKinds } from '@asof/extract/errors'
import PQueue from 'p-queue'
import type { Browser, Page } from 'playwright-core'
import { CrawlError } from '../errors.ts'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import { Chromium, type RunningChromium } from './chromium.ts'
import { RenderedRequests } from './rendered-requests.ts'

/** Options of rendering. */
export interface RendererOptions {
  /** Path of the Chromium executable. Default: the first existing one of the usual paths of Chromium and Chrome. */
  chromiumPath?: string
  /** Time limit for rendering a page, milliseconds. Default 20,000. */
  renderTimeoutMs?: number
}

export const rendererOptionKinds: OptionKinds<RendererOptions> = { chromiumPath: 'string', renderTimeoutMs: 'number' }

/** Renders pages, which means running their scripts in a browser. */
export interface Renderer {
  /**
   * Renders a fetched page.
   *
   * @param allowed - returns true if the page may request a URL.
   * @returns the HTML when the page's requests have ended, or after 5 s.
   * @throws ASOF_FETCH_TIMEOUT - the page could not be rendered within the time limit.
   * @throws ASOF_FETCH_TOO_LARGE - the HTML has more than 20 MiB.
   */
  render(page: FetchedPage, allowed: (url: URL) => boolean): Promise<Uint8Array>
  close(): Promise<void>
}

/**
 * Maximum number of pages rendered at a time. Each has its own browser, so that killing a browser affects one page
 * only.
 */
const BROWSERS = 2
const DEFAULT_TIMEOUT_MS = 20_000
const SETTLE_MS = 5000
const MAX_HTML_CHARS = 20 * 1024 * 1024

/**
 * Starts a renderer. Its browsers have no network. Their requests go through the fetcher of the crawl, whose address
 * guard checks each.
 *
 * @throws ASOF_RENDERER_MISSING - `playwright-core` or Chromium is not installed, or Chromium does not start.
 */
export async function startRenderer(fetcher: Fetcher, options: RendererOptions = {}): Promise<Renderer> {
  const chromium = await Chromium.find(options.chromiumPath)
  try {
    return new BrowserRenderer(fetcher, chromium, await chromium.start(), options.renderTimeoutMs ?? DEFAULT_TIMEOUT_MS)
  } catch (error) {
    await chromium.close()
    throw error
  }
}

class BrowserRenderer implements Renderer {
  readonly #fetcher: Fetcher
  readonly #chromium: Chromium
  readonly #timeoutMs: number
  readonly #idle: RunningChromium[]
  readonly #queue = new PQueue({ concurrency: BROWSERS })

  constructor(fetcher: Fetcher, chromium: Chromium, first: RunningChromium, timeoutMs: number) {
    this.#fetcher = fetcher
    this.#chromium = chromium
    this.#idle = [first]
    this.#timeoutMs = timeoutMs
  }

  render(page: FetchedPage, allowed: (url: URL) => boolean): Promise<Uint8Array> {
    return this.#queue.add(() => this.#render(page, allowed))
  }

  async close(): Promise<void> {
    await this.#queue.onIdle()
    await Promise.all(this.#idle.splice(0).map(running => running.kill()))
    await this.#chromium.close()
  }

  async #render(page: FetchedPage, allowed: (url: URL) => boolean): Promise<Uint8Array> {
    const running = this.#idle.pop() ?? (await this.#chromium.start())
    const over = AbortSignal.timeout(this.#timeoutMs)
    const expired = new Promise<never>((_, reject) => over.addEventListener('abort', () => reject(over.reason)))
    // The time limit is enforced outside the browser, because a page can block the browser.
    const rendering = renderIn(running.browser, this.#fetcher, page, { allowed, over })
    try {
      const html = await Promise.race([rendering, expired])
      this.#idle.push(running)
      return html
    } catch (error) {
      await running.kill()
      // Killing the browser makes rendering fail. The timeout below is reported instead.
      await rendering.catch(() => {})
      if (isAsofError(error)) throw error
      throw new CrawlError(
        'ASOF_FETCH_TIMEOUT',
        `${page.requestedUrl}: could not be rendered within ${this.#timeoutMs} ms`,
        { cause: error },
      )
    }
  }
}

async function renderIn(
  browser: Browser,
  fetcher: Fetcher,
  page: FetchedPage,
  { allowed, over }: { allowed: (url: URL) => boolean; over: AbortSignal },
): Promise<Uint8Array> {
  const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
  const requests = new RenderedRequests(fetcher, page, allowed, over)
  await context.route('**/*', route => requests.answer(route))
  await context.routeWebSocket(/.*/, socket => socket.close())
  const tab = await context.newPage()
  // Popups are closed, because they are not part of the page.
  context.on('page', popup => void popup.close().catch(() => {}))
  requests.expect(tab)
  await tab.goto(page.url, { waitUntil: 'commit' })
  await tab.waitForLoadState('networkidle', { timeout: SETTLE_MS }).catch((error: unknown) => {
    // A page that never stops making requests is read as it is now.
    if (!(isError(error) && error.name === 'TimeoutError')) throw error
  })
  const html = await htmlOf(tab)
  if (html.length > MAX_HTML_CHARS)
    throw new CrawlError(
      'ASOF_FETCH_TOO_LARGE',
      `${page.requestedUrl}: the rendered HTML exceeds ${MAX_HTML_CHARS} characters`,
    )
  await context.close()
  return Buffer.from(html)
}

/**
 * Returns the HTML of a page, cut by the browser to one character more than the limit. It is read in an isolated world,
 * where the page's scripts cannot replace `outerHTML`.
 */
async function htmlOf(tab: Page): Promise<string> {
  const session = await tab.context().newCDPSession(tab)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    returnByValue: true,
    expression: `((document.doctype ? '<!doctype html>' : '') + document.documentElement.outerHTML).slice(0, ${MAX_HTML_CHARS + 1})`,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.text)
  return String(result.value)
}
