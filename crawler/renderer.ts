import { existsSync } from 'node:fs'
import type { Browser, BrowserContext, Route } from 'playwright-core'
import { AsofError, type ExtractedPage, isAsofError, type OptionKinds } from '../core/index.ts'
import type { FetchedPage, Fetcher } from './fetcher.ts'

/** Where the browser is found, and how long it may take; times in ms. */
export interface RendererOptions {
  /** The Chromium to run. Default: `chromium` of the system's usual places. */
  chromiumPath?: string
  /** A page, from its first byte to its text. Default 20,000. */
  renderTimeoutMs?: number
}

export const rendererOptionKinds: OptionKinds<RendererOptions> = { chromiumPath: 'string', renderTimeoutMs: 'number' }

/** Runs the scripts of pages. */
export interface Renderer {
  /**
   * Renders a page that has been fetched.
   *
   * @param allowed - whether what the page asks for may be asked for.
   * @returns the page's HTML once its scripts have run and no request is under way, or as it stands in the end.
   */
  render(page: FetchedPage, allowed: (url: URL) => boolean): Promise<Uint8Array>
  close(): Promise<void>
}

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium']
const maxRequests = 100
const maxHtmlBytes = 20 * 1024 * 1024
const settleMs = 5000
/** What changes no text. */
const unwanted = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'cspreport', 'beacon'])

/**
 * Starts a Chromium that opens no connection of its own: each of its requests is made by the crawl's fetcher, behind the
 * same guard as every page, and answered to the browser. Only GETs are made, a hundred a page at most; images, fonts,
 * media, sockets and service workers are left out.
 *
 * @throws ASOF_RENDERER_MISSING - `playwright-core` is not installed, or there is no Chromium.
 */
export async function startRenderer(fetcher: Fetcher, options: RendererOptions = {}): Promise<Renderer> {
  const browser = await launch(options)
  const timeoutMs = options.renderTimeoutMs ?? 20_000
  return {
    render: (page, allowed) => renderIn(browser, fetcher, page, { allowed, timeoutMs }),
    close: () => browser.close(),
  }
}

async function launch({ chromiumPath }: RendererOptions): Promise<Browser> {
  const executablePath = chromiumPath ?? usualPlaces.find(existsSync)
  if (executablePath === undefined) throw missing('no Chromium was found; install one, or name it')
  const playwright = await import('playwright-core').catch((cause: unknown) => {
    throw missing('the package playwright-core is not installed', cause)
  })
  try {
    return await playwright.chromium.launch({
      executablePath,
      // What slips past the interception below finds no name and no way out.
      args: [
        '--host-resolver-rules=MAP * ~NOTFOUND',
        '--proxy-bypass-list=<-loopback>',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
      proxy: { server: 'http://127.0.0.1:9' },
    })
  } catch (cause) {
    throw missing(`${executablePath} does not start`, cause)
  }
}

function missing(why: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_RENDERER_MISSING', `pages can't be rendered: ${why}`, { cause })
}

async function renderIn(
  browser: Browser,
  fetcher: Fetcher,
  page: FetchedPage,
  { allowed, timeoutMs }: { allowed: (url: URL) => boolean; timeoutMs: number },
): Promise<Uint8Array> {
  const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
  const over = AbortSignal.timeout(timeoutMs)
  try {
    const answers = new Answers(fetcher, page, allowed, over)
    await context.route('**/*', route => answers.answer(route))
    await context.routeWebSocket(/.*/, socket => socket.close())
    return Buffer.from(await contentOf(context, page.url, timeoutMs))
  } catch (error) {
    if (isAsofError(error)) throw error
    throw new AsofError('ASOF_FETCH_TIMEOUT', `${page.url}: could not be rendered`, { cause: error })
  } finally {
    await context.close()
  }
}

async function contentOf(context: BrowserContext, url: string, timeoutMs: number): Promise<string> {
  const tab = await context.newPage()
  await tab.goto(url, { waitUntil: 'commit', timeout: timeoutMs })
  await tab.waitForLoadState('networkidle', { timeout: Math.min(settleMs, timeoutMs) }).catch((error: unknown) => {
    // A page that never comes to rest is taken as it stands.
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error
  })
  const html = await tab.content()
  if (html.length > maxHtmlBytes)
    throw new AsofError('ASOF_FETCH_TOO_LARGE', `${url}: rendered to over ${maxHtmlBytes}`)
  return html
}

/** Answers what a page in the browser asks for. */
class Answers {
  readonly #fetcher: Fetcher
  readonly #page: FetchedPage
  readonly #allowed: (url: URL) => boolean
  readonly #over: AbortSignal
  #asked = 0
  #opened = false

  constructor(fetcher: Fetcher, page: FetchedPage, allowed: (url: URL) => boolean, over: AbortSignal) {
    this.#fetcher = fetcher
    this.#page = page
    this.#allowed = allowed
    this.#over = over
  }

  async answer(route: Route): Promise<void> {
    const request = route.request()
    const url = URL.parse(request.url())
    const isPage = request.isNavigationRequest() && request.frame().parentFrame() === null
    if (isPage && !this.#opened && url) {
      this.#opened = true
      await fulfil(route, this.#page)
      return
    }
    if (isPage) {
      // A page that leads its reader elsewhere by script is taken as it was: "no content" keeps the browser on it.
      await route.fulfill({ status: 204 })
      return
    }
    const wanted = request.method() === 'GET' && !unwanted.has(request.resourceType())
    if (!url || !wanted || ++this.#asked > maxRequests || !this.#allowed(url)) {
      await route.abort('blockedbyclient')
      return
    }
    try {
      await fulfil(route, await this.#fetcher.fetch(url.href, { signal: this.#over }))
    } catch {
      // To the page, what could not be had is a failed request like any other; its own text is what counts.
      await route.abort('failed')
    }
  }
}

/** Hands an answer to the browser, which is out of date when the page is being closed. */
async function fulfil(route: Route, { status, headers, body }: FetchedPage): Promise<void> {
  // The body is decoded already, nothing is remembered between pages, and what was asked for is there for the page to read.
  const { 'content-encoding': _, 'content-length': __, 'transfer-encoding': ___, 'set-cookie': ____, ...rest } = headers
  await route.fulfill({ status, headers: { ...rest, 'access-control-allow-origin': '*' }, body: Buffer.from(body) })
}

const littleText = 300
const hintOfScripts =
  /<(?:div|main|section)[^>]{0,200}\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|main-app)\b|<app-root\b|\bng-app\b|<noscript>[^<]{0,500}javascript/i

export function isHtml({ contentType = 'text/html' }: FetchedPage): boolean {
  return /html/i.test(contentType)
}

/** Whether a page seems to have its text only once its scripts have run: little of it, and the frame of such a page. */
export function needsRendering(page: FetchedPage, extracted: ExtractedPage): boolean {
  if (!isHtml(page) || extracted.markdown.length > littleText) return false
  const html = Buffer.from(page.body).toString('latin1')
  return /<script/i.test(html) && hintOfScripts.test(html)
}
