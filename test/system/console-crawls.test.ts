import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { page as html, type Route, SiteServer } from '../crawler/site-server.ts'
import {
  adminToken,
  buildConsole,
  type ConsoleServer,
  chromiumPath,
  serveConsole,
  startBrowser,
  violationsIn,
} from './console-server.ts'

describe.skipIf(chromiumPath === undefined)('crawls in the console (skipped without Chromium)', () => {
  let server: ConsoleServer
  let browser: Browser
  let site: SiteServer
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    buildConsole()
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    server = await serveConsole([])
    site = await SiteServer.start({ '/': html('Home', ['/tea', '/gone']), '/tea': html('Tea') })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    complaints = []
    page.on('console', message => {
      if (message.type() === 'error' && !/40[0-9]/.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(`${server.url}/crawls`)
    await page.fill('.sign-in [name=token]', adminToken)
    await page.press('.sign-in [name=token]', 'Enter')
    await page.waitForSelector('.crawl-form')
  })
  afterEach(async () => {
    await page.context().close()
    await server.close()
    await site.close()
    expect(complaints).toEqual([])
  })

  const start = async (text: string) => {
    await page.fill('[name=what]', text)
    await page.fill('[name=delay_ms]', '0')
    await page.click('button[value=start]')
  }

  /** Adds a page to the site that is answered when the function that this returns is called, so that a crawl is still running. */
  const addSlowPage = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow: Route = (_request, response) => {
      void promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html('Slow')))
    }
    site.routes.set('/slow', slow)
    return resolve
  }

  it('previews a crawl, starts it, and lists its report with failures and the pages that link to them', async () => {
    await page.waitForSelector('text=Nothing has been crawled yet')
    await page.fill('[name=what]', `${site.origin}/`)
    await page.click('button[value=preview]')
    await page.waitForSelector('h3:has-text("3 pages found so far")')
    expect((await server.engine.stats()).captures).toBe(0)
    await start(`${site.origin}/`)
    await page.waitForSelector('td .crawl-state.finished')
    await page.click('td a')
    await page.waitForSelector('td:has-text("status 404")')
    expect(await page.locator('tr:has-text("/gone") td').last().textContent()).toBe(`${site.origin}/`)
    expect(await page.locator('.outcomes').textContent()).toContain('200 2')
    await page.click('text=Visit again')
    await expect.poll(() => site.asked('/tea').length).toBe(2)
  })

  it('shows the progress of a running crawl, and stops and resumes it', async () => {
    const answerSlowPage = addSlowPage()
    const corpus = { name: 'harbor', seeds: [`${site.origin}/tea`, `${site.origin}/slow`] }
    await page.getByRole('radio', { name: 'Corpus definition' }).check()
    await start(JSON.stringify(corpus))
    await page.waitForSelector('.crawl .figures div:has-text("Pages") dd:has-text("1")')
    await page.waitForSelector('.crawl .crawl-state.running')
    expect(await page.locator('.outcomes').textContent()).toContain('200 1')
    // Between two pages of a site a crawl would stop at once.
    await expect.poll(() => site.asked('/slow').length, { timeout: 30_000 }).toBe(1)
    await page.click('.crawl >> text=Stop')
    await page.waitForSelector('.crawl .crawl-state.stopping')
    answerSlowPage()
    await page.waitForSelector('td .crawl-state.stopped')
    await page.click('td >> text=Resume')
    await page.waitForSelector('td .crawl-state.finished')
    expect((await server.engine.stats()).urls).toBe(2)
  })

  it('names what is wrong with a definition', async () => {
    await page.getByRole('radio', { name: 'Corpus definition' }).check()
    await start('{"name": ')
    await page.waitForSelector('text=This is no JSON object.')
    await start('{"name": "Bad Name", "seeds": []}')
    await page.waitForSelector('output:has-text("corpus.name: must be")')
    expect(await page.locator('output').textContent()).toContain('corpus.seeds')
  })

  it.each(['light', 'dark'] as const)(
    'has no violation that axe finds, and fits a narrow window, in the %s theme',
    async colorScheme => {
      await page.emulateMedia({ colorScheme })
      const check = async (shown: string) => {
        await page.waitForSelector(shown)
        await page.setViewportSize({ width: 1280, height: 900 })
        expect([shown, await violationsIn(page)]).toEqual([shown, []])
        await page.setViewportSize({ width: 360, height: 800 })
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      }
      await check('.crawl-form')
      await page.fill('[name=what]', `${site.origin}/`)
      await page.click('button[value=preview]')
      await check('.crawl h3')
      const answerSlowPage = addSlowPage()
      site.routes.set('/', html('Home', ['/gone', '/slow']))
      await start(`${site.origin}/`)
      await check('.sparkline')
      await page.waitForSelector('.outcomes:has-text("404 1")')
      await page.click('.crawl h2 a')
      await check('td:has-text("status 404")')
      answerSlowPage()
      await check('.crawl-state.finished')
    },
  )
})
