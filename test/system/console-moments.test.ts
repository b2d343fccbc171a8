import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  buildConsole,
  type ConsoleServer,
  chromiumPath,
  harborHistory,
  serveConsole,
  startBrowser,
} from './console-server.ts'

/** Collects in every frame what heading, count and list say, into `drawn`. */
const collector = `{
  globalThis.drawn = {}
  const text = selector => document.querySelector(selector)?.textContent ?? ''
  const look = () => {
    const link = document.querySelector('.results > .result .result-link')
    const state = {
      heading: text('.moment strong'),
      count: text('.answer-head [role=status]').split(' ', 1)[0],
      listed: String(document.querySelectorAll('.results > .result').length),
      at: link ? (new URL(link.href).searchParams.get('at') ?? 'now') : 'none',
    }
    drawn[JSON.stringify(state)] = state
    requestAnimationFrame(look)
  }
  look()
}`

const LATENCY_MS = 900

describe.skipIf(chromiumPath === undefined)('moments in the console (skipped if Chromium is not installed)', () => {
  let server: ConsoleServer
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    buildConsole()
    // The limits of a server whose operator changed nothing.
    server = await serveConsole(harborHistory(), { keylessLimits: { perSecond: 10, perHour: 1_000 } })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  })
  afterEach(() => page.close())

  const go = async (path: string, shown: string) => {
    await page.goto(server.url + path)
    await page.waitForSelector(shown)
  }
  const asked = () => new URL(page.url()).searchParams
  const track = async () => (await page.locator('.track').boundingBox())!
  const slowDown = async () => {
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const speed = { downloadThroughput: -1, uploadThroughput: -1 }
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: LATENCY_MS, ...speed })
  }
  const styleOf = (selector: string, name: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
  const watch = () => page.evaluate(collector)

  it('never shows results of one moment under the heading of another, however slow the network is', async () => {
    await go('/?q=ferry+timetable', '.result')
    // The heading needs the histogram, whose answer may come after that of the search.
    await page.waitForSelector('.moment')
    await slowDown()
    await watch()
    const { x, y, width } = await track()
    const heading = page.locator('.moment')
    await page.mouse.click(x + width * 0.3, y + 40)
    await page.waitForSelector('.going')
    expect(await heading.textContent()).toMatch(/^As of now.*going to \d+ \w+ 202\d/)
    await expect.poll(() => styleOf('.answers', 'opacity')).toBe('0.55')
    expect(await page.locator('.progress').isVisible()).toBe(true)
    await page.waitForSelector('.answers[aria-busy=false]')
    expect(await heading.textContent()).toMatch(/^As of \d+ \w+ 202\d, 23:59 UTC\d+ of 31 captures$/)
    expect(await page.locator('.progress').isVisible()).toBe(false)
    // An answer that comes late does not replace one that was known.
    await page.mouse.click(x + width * 0.6, y + 40)
    await page.waitForSelector('.going')
    await page.mouse.click(x + width * 0.3, y + 40)
    await page.waitForSelector('.going', { state: 'detached' })
    await page.mouse.move(x + width - 20, y + 40)
    await page.mouse.down()
    await page.mouse.move(x + 10, y + 40, { steps: 30 })
    await page.mouse.up()
    await page.waitForSelector('.going', { state: 'detached' })
    // Another question empties the list.
    await page.keyboard.press('/')
    await page.keyboard.type('storm')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.loading')
    expect(await page.locator('.result').count()).toBe(0)
    await page.waitForSelector('.answer, .failure')

    const states = await page.evaluate<Record<string, string>[]>('Object.values(drawn)')
    expect(new Set(states.map(({ heading }) => heading)).size).toBeGreaterThanOrEqual(3)
    for (const { heading, at, count, listed } of states) {
      if (at === 'none') continue
      const day = new Date(at!).toLocaleString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      })
      expect([heading, listed]).toEqual([at === 'now' ? 'As of now' : expect.stringContaining(day), count])
    }
  })

  it('shows the two answers of a comparison only together', async () => {
    await go('/?q=ferry+timetable&at=2021-06-01T00:00:00.000Z&against=now', '.compared')
    await slowDown()
    await page.keyboard.press('/')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('log of week')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.loading')
    await page.waitForSelector('.compared')
    for (const side of ['a', 'b'])
      expect(await page.locator(`.side-${side} h3`).first().textContent()).toMatch(/^Log of week/)
  })

  it('asks little while the line is dragged, so that its address keeps its requests', async () => {
    await go('/?q=ferry', '.result')
    let searches = 0
    page.on('request', request => {
      if (request.url().includes('/v1/search')) searches++
    })
    const { x, y, width } = await track()
    await page.mouse.move(x + width - 20, y + 40)
    await page.mouse.down()
    const began = Date.now()
    for (let turn = 0; turn < 4; turn++)
      await page.mouse.move(turn % 2 === 0 ? x + 20 : x + width - 20, y + 40, { steps: 25 })
    await page.mouse.up()
    const tookMs = Date.now() - began
    await page.waitForSelector('.going', { state: 'detached' })
    expect(searches).toBeGreaterThan(0)
    expect(searches).toBeLessThanOrEqual(tookMs / 250 + 3)
    expect(await page.locator('.failure').count()).toBe(0)
  })

  it('says a long wait in minutes', async () => {
    await page.route('**/v1/search/public', route =>
      route.fulfill({ status: 429, json: { error: 'rate_limited', message: '' }, headers: { 'retry-after': '3432' } }),
    )
    await go('/?q=ferry', '.failure')
    expect(await page.locator('.failure').textContent()).toContain('in 58 minutes')
  })

  it('begins a comparison where this answer was last another one', async () => {
    await go('/?q=ferry+timetable', '.result')
    // Before the line of time is there, no key compares.
    await page.waitForSelector('.track')
    await page.keyboard.press('c')
    await page.waitForSelector('.compared')
    // The ferry page got its last text on 1 September 2022.
    expect([asked().get('at'), asked().get('against')]).toEqual(['2022-08-31T23:59:59.999Z', 'now'])
    expect(await page.locator('.summary').textContent()).toContain('1 with another text')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.results')
    // The log changed in 2021 alone.
    await go('/?q=%22Log+of+week%22', '.result')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForSelector('.compared')
    expect(asked().get('at')).toMatch(/^2021-1[12]-/)
  })

  it('takes a typed moment on a phone, and says which one it does not understand', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await go('/?q=ferry', '.result')
    const field = page.getByLabel('Exact moment')
    expect((await field.boundingBox())!.width).toBeGreaterThan(200)
    const line = () => styleOf('.exact input', 'borderTopColor')
    const usual = await line()
    for (const text of ['2025', 'March 2025', 'last march', '2025-02-30']) {
      await field.fill(text)
      await page.keyboard.press('Enter')
      const problem = page.locator('.moment-problem')
      expect(await problem.textContent()).toContain(`“${text}” is not understood`)
      expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual([text, 'true'])
      expect(await line()).not.toBe(usual)
      expect(asked().has('at')).toBe(false)
    }
    await field.fill('2090-01-01')
    await page.keyboard.press('Enter')
    expect(await page.locator('.moment-problem').textContent()).toContain('has not come yet')
    await page.keyboard.press('Escape')
    expect([await field.inputValue(), await page.locator('.moment-problem').textContent()]).toEqual(['', ''])
    await field.fill('2021-06-01 12:30')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.moment:has-text("As of 1 Jun 2021, 12:30 UTC")')
    expect(asked().get('at')).toBe('2021-06-01T12:30:00.000Z')
    for (const path of ['/?q=ferry&at=March+2025', '/?q=ferry&at=2021-06-01&against=soon', '/?at=yesterday']) {
      await go(path, '.failure')
      expect(await page.locator('.failure').textContent()).toContain('is not understood as a moment')
      expect(await page.locator('.result').count()).toBe(0)
    }
    await go('/page?url=https://harbor.example/ferry&at=soon', '.state')
    expect(await page.locator('.state').textContent()).toContain('“soon” is not understood')
  })

  it('names the part of the history under the pointer in a line of its own, and not while the history is played', async () => {
    await go('/?q=ferry', '.result')
    const { x, y, width } = await track()
    for (const part of [0.001, 0.5, 0.999]) {
      await page.mouse.move(x + width * part, y + 30)
      const label = (await page.locator('.bin-label').boundingBox())!
      const card = (await page.locator('.time').boundingBox())!
      const chart = (await page.locator('.track').boundingBox())!
      expect(label.y).toBeGreaterThanOrEqual(chart.y + chart.height)
      expect(label.y + label.height).toBeLessThanOrEqual(card.y + card.height)
      expect(label.x).toBeGreaterThanOrEqual(card.x)
      expect(label.x + label.width).toBeLessThanOrEqual(card.x + card.width)
    }
    await page.keyboard.press('p')
    await page.waitForSelector('.bin-label', { state: 'detached' })
  })
})
