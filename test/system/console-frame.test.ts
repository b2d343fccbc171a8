import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminToken,
  buildConsole,
  type ConsoleServer,
  chromiumPath,
  harborHistory,
  serveConsole,
  startBrowser,
} from './console-server.ts'

/** A page whose title and address try to look like others, and one whose title has no end. */
const strangers = [
  {
    url: 'https://hostile.example/%E2%80%AEmoc.elgoog%E2%80%AC/login%E2%80%AEfdp.exe',
    title: 'Quokka invoice \u202Efdp.exe',
    markdown: 'quokka \u202Ebackwards',
    acquiredAt: '2022-03-03',
    fields: { tag: 'paid \u202Eoot', note: { $text: 'read \u202Eem' } },
  },
  {
    url: `https://long.example/${'path/'.repeat(150)}`,
    title: 'A quokka title without an end '.repeat(40),
    markdown: 'quokka',
    acquiredAt: '2022-03-03',
  },
]

describe.skipIf(chromiumPath === undefined)('what surrounds the views (skipped if Chromium is not installed)', () => {
  let server: ConsoleServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    buildConsole()
    server = await serveConsole([...harborHistory(), ...strangers])
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
  })
  afterEach(() => context.close())

  const go = async (path: string, shown: string) => {
    const response = await page.goto(server.url + path)
    await page.waitForSelector(shown)
    return response!.status()
  }
  const address = () => page.url().slice(server.url.length)
  const signIn = () =>
    context.request.post(`${server.url}/admin/session`, {
      data: { token: adminToken },
      headers: { origin: server.url },
    })

  it('goes from a page to the search by escape, and never out of the console', async () => {
    const search = '/?q=ferry&at=2022-01-15T00%3A00%3A00.000Z'
    await go(search, '.result')
    await page.locator('.result-link').first().click()
    await page.waitForSelector('.version-line')
    await page.keyboard.press('[')
    await page.getByRole('tab', { name: 'Metadata' }).click()
    await page.keyboard.press('Escape')
    await page.waitForSelector('.result')
    expect(address()).toBe(search)
    // By way of another view, back to the same search.
    await page.locator('.result-link').first().click()
    await page.waitForSelector('.version-line')
    await page.getByRole('link', { name: 'Docs' }).click()
    await page.waitForSelector('.docs-text h2')
    await page.goBack()
    await page.waitForSelector('.version-line')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.result')
    expect(address()).toBe(search)
    // A page that was opened by its address has no search to go back to.
    const fresh = await context.newPage()
    await fresh.goto(`${server.url}/page?url=https://harbor.example/ferry&at=2021-06-01T00:00:00Z`)
    await fresh.waitForSelector('.version-line')
    await fresh.keyboard.press('Escape')
    await fresh.waitForSelector('.result')
    expect(Object.fromEntries(new URL(fresh.url()).searchParams)).toEqual({
      q: 'site:harbor.example',
      site: 'harbor.example',
      at: '2021-06-01T00:00:00.000Z',
    })
    await fresh.keyboard.press('Escape')
    await fresh.keyboard.press('Escape')
    expect(fresh.url()).toContain(server.url)
  })

  it('closes what is open by escape, the innermost first, and a panel by a click elsewhere', async () => {
    await go('/?q=ferry&at=2021-06-01T00:00:00Z&against=now', '.compared')
    const panel = page.locator('.filter-panel')
    const isOpen = () => panel.evaluate(details => details.hasAttribute('open'))
    const button = panel.locator('summary')
    await button.click()
    await panel.locator('input').first().focus()
    await page.keyboard.press('Escape')
    expect([await isOpen(), await button.evaluate(each => each.matches(':focus'))]).toEqual([false, true])
    // The comparison is behind it.
    expect(await page.locator('.compared').count()).toBe(2)
    await button.click()
    await page.locator('.moment').click()
    expect(await isOpen()).toBe(false)
    await page.keyboard.press('?')
    await page.keyboard.press('Escape')
    expect(await page.locator('.compared').count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.waitForSelector('.results')
    await page.keyboard.press('e')
    await page.waitForSelector('.parts')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.parts', { state: 'detached' })
    expect(address()).toContain('q=ferry')
  })

  it('shows titles and addresses of strangers in their own order, and nothing of them beside', async () => {
    await go('/?q=quokka+invoice', '.result')
    const result = page.locator('.result', { hasText: 'hostile.example' })
    expect(await result.locator('h3').textContent()).toBe('Quokka invoice fdp.exe')
    expect(await result.locator('.path').textContent()).toBe('/%E2%80%AEmoc.elgoog%E2%80%AC/login%E2%80%AEfdp.exe')
    const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
    expect(await page.locator('#content').textContent()).not.toMatch(bidirectional)
    await result.locator('.result-link').click()
    await page.waitForSelector('.version-line')
    expect(await page.locator('.page-head').textContent()).not.toMatch(bidirectional)
    expect(await page.locator('h1').textContent()).toBe('Quokka invoice fdp.exe')
    const raw = '/page?url=https://hostile.example/\u202Emoc.elgoog'
    await go(raw, '.state')
    expect(await page.locator('.state').textContent()).not.toMatch(bidirectional)
    await go('/?q=quokka&at=\u202Etomorrow', '.state')
    expect(await page.locator('.state').textContent()).not.toMatch(bidirectional)
  })

  it('shows values of fields in their own order', async () => {
    const filter = encodeURIComponent(JSON.stringify({ tag: 'paid \u202Eoot' }))
    await go(`/?q=quokka+invoice&facets=tag&filter=${filter}`, '.facet')
    expect(await page.locator('.facet li').textContent()).toBe('paid oot1')
    expect(await page.locator('.chip', { hasText: 'paid' }).textContent()).toBe('Fields {"tag":"paid oot"}')
    await page.locator('.result-link').click()
    await page.getByRole('tab', { name: 'Metadata' }).click()
    const fields = page.locator('.facts').last()
    expect(await fields.locator('dd').allTextContents()).toEqual(['read em', 'paid oot'])
  })

  it('cuts titles and addresses that have no end', async () => {
    const lines = (selector: string) =>
      page.evaluate<number>(
        `(element => element.clientHeight / parseFloat(getComputedStyle(element).lineHeight))(document.querySelector('${selector}'))`,
      )
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await go('/?q=quokka+title&site=long.example', '.result')
      expect(await lines('.result h3')).toBeLessThan(2.5)
      await page.locator('.result-link').click()
      await page.waitForSelector('.version-line')
      expect(await lines('.page-head h1')).toBeLessThan(3.5)
      expect(await lines('.page-url .url')).toBeLessThan(3.5)
    }
  })

  it('answers an address that leads nowhere with a page and status 404', async () => {
    for (const path of ['/nowhere', '/page/', '/docs/none', '/crawls/none'])
      expect([path, await go(path, '.state, .docs-text .state')]).toEqual([path, 404])
    await go('/nowhere', '.state')
    expect([await page.locator('h1').textContent(), await page.title()]).toEqual([
      'There is no such page',
      'There is no such page · asof',
    ])
  })

  it('shows the pictures of the documents', async () => {
    await go('/docs/console', '.docs-text img')
    const picture = page.locator('.docs-text img')
    await picture.scrollIntoViewIfNeeded()
    await expect
      .poll(() => picture.evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(500)
    expect(await picture.getAttribute('alt')).toContain('A search as of a moment')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows buttons that cannot be pressed with text that can be read, in the ${colorScheme} theme`, async () => {
      await page.emulateMedia({ colorScheme })
      await go('/?q=ferry', '.result')
      await page.waitForSelector('.time-tools')
      // A primary button, as that of the preview of a crawl while it runs.
      const contrasts = await page.evaluate<number[]>(`(() => {
        const primary = document.createElement('button')
        primary.className = 'button primary'
        primary.textContent = 'Start'
        primary.disabled = true
        document.querySelector('.answer-head').append(primary)
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
        const luminance = color => {
          canvas.fillStyle = color
          canvas.fillRect(0, 0, 1, 1)
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(byte => {
            const part = byte / 255
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
          })
          return 0.2126 * r + 0.7152 * g + 0.0722 * b
        }
        return [...document.querySelectorAll('button:disabled')].map(button => {
          const { color, backgroundColor, opacity } = getComputedStyle(button)
          const [a, b] = [luminance(color), luminance(backgroundColor)].sort()
          return ((b + 0.05) / (a + 0.05)) * opacity
        })
      })()`)
      expect(contrasts.length).toBeGreaterThanOrEqual(3)
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5)
    })
  }

  it('prints the question, its moment and the answer, without what can only be clicked', async () => {
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 794, height: 1123 })
    for (const [path, shown, kept] of [
      ['/?q=ferry&at=2022-01-15T00:00:00Z', '.result', ['.moment', '.result h3', '.search-input']],
      ['/?q=ferry&at=2021-06-01T00:00:00Z&against=now', '.compared', ['.moment', '.compared h3']],
      ['/page?url=https://harbor.example/ferry', '.markdown', ['h1', '.version-line', '.markdown']],
      ['/docs/console', '.docs-text h2', ['.docs-text h2']],
    ] as const) {
      await go(path, shown)
      // On a slow machine the parts of a view come one after the other.
      for (const part of kept) await page.locator(part).first().waitFor()
      expect([
        path,
        await page
          .locator('nav:visible, button:not(.dot):visible, .track:visible, form:visible .button:visible')
          .count(),
      ]).toEqual([path, 0])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
  })

  it('offers first to copy a new key, which is not shown again', async () => {
    await signIn()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { id: org } = (await server.access.administer('org.create', { name: 'Harbor Inc.' }, 'ada')) as { id: string }
    await server.access.administer('workspace.create', { name: 'production', org }, 'ada')
    await go(`/access?org=${org}`, '.workspace')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.waitFor()
    const first = dialog.locator('button').first()
    expect([await first.textContent(), await first.getAttribute('class')]).toEqual(['Copy', 'button primary'])
    expect(await first.evaluate(button => button.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await dialog.getByText('Copied').first().waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await dialog.locator('code').textContent())
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })
})
