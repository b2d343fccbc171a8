import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chromiumPath, startBrowser, violationsIn } from './console-server.ts'

const main = resolve(import.meta.dirname, '../../examples/shop/main.ts')
const DAY_MS = 86_400_000

/** Starts the shop as its README says, and returns its address. */
async function startShop(data: string): Promise<{ url: string; process: ChildProcess }> {
  const args = [main, '--port', '0', '--products', '400', '--data', data]
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: started.stdout })) {
    const [, url] = /^The shop is open: (\S+)$/.exec(line) ?? []
    if (url) return { url, process: started }
  }
  throw new Error('the shop ended before it was open')
}

describe.skipIf(chromiumPath === undefined)('the shop in Chromium (skipped if Chromium is not installed)', () => {
  let data: string
  let shop: Awaited<ReturnType<typeof startShop>>
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'asof-shop-'))
    shop = await startShop(data)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    shop.process.kill('SIGTERM')
    expect(await once(shop.process, 'exit')).toEqual([0, null])
    await rm(data, { recursive: true })
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    complaints = []
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(error.message))
  })
  afterEach(async () => {
    await page.close()
    expect(complaints).toEqual([])
  })

  const go = async (path: string) => {
    await page.goto(shop.url + path)
    await page.locator('#count b').waitFor()
  }
  const total = async () => Number((await page.locator('#count b').textContent())?.replace(',', ''))
  const prices = async () =>
    (await page.locator('#products .price').allTextContents()).map(text => Number(text.replace(/[€,]/g, '')))
  const choices = () => new URL(page.url()).searchParams
  const boxOf = (value: string) => page.locator(`#values label:has-text("${value}")`)

  it('finds while somebody types, counts facets, and finds what a count promises', async () => {
    await go('/')
    const all = await total()
    await page.locator('[name=q]').pressSequentially('lam')
    await expect.poll(total).toBeLessThan(all)
    expect(await page.locator('#products mark').first().textContent()).toMatch(/^lamp/i)
    const promised = Number(await boxOf('red').locator('.number').textContent())
    await boxOf('red').locator('input').check()
    await expect.poll(total).toBe(promised)
    expect(choices().getAll('color')).toEqual(['red'])
    // The counts of other colors stay: a second color adds its products.
    const others = Number(await boxOf('blue').locator('.number').textContent())
    await boxOf('blue').locator('input').check()
    await expect.poll(total).toBe(promised + others)
    await page.goBack()
    await expect.poll(total).toBe(promised)
    await page.locator('#chosen button', { hasText: 'red' }).click()
    await expect.poll(total).toBeGreaterThan(promised)
  })

  it('restricts prices by a bar of the chart, sorts by price, and shows more without repetitions', async () => {
    await go('/?sort=price:asc')
    const first = await prices()
    expect(first).toEqual([...first].sort((a, b) => a - b))
    expect(first).toHaveLength(24)
    await page.locator('#more').click()
    await expect.poll(() => page.locator('#products li').count()).toBe(48)
    const more = await prices()
    expect(more).toEqual([...more].sort((a, b) => a - b))
    expect(more.slice(0, 24)).toEqual(first)
    await page.locator('#price-chart rect').nth(1).click()
    await expect.poll(async () => (await prices()).every(price => price >= 25 && price <= 50)).toBe(true)
    expect([choices().get('least'), choices().get('most')]).toEqual(['25', '50'])
    await page.locator('[name=sort]').selectOption('price:desc')
    await expect.poll(async () => (await prices())[0]).toBeGreaterThan(45)
  })

  it('shows the shop as of any day: products that had arrived, at the prices of that day', async () => {
    await go('/')
    const now = await total()
    await page.locator('#day').fill('0')
    await expect.poll(total).not.toBe(now)
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
    expect(Date.parse(choices().get('day') ?? '')).toBeLessThanOrEqual(today - 364 * DAY_MS)
    // A sale, 40 to 46 days ago.
    await go(`/?reduced=1&day=${new Date(today - 42 * DAY_MS).toISOString().slice(0, 10)}`)
    expect(await total()).toBeGreaterThan(20)
    const [price, was] = await page.locator('#products li').first().locator('.price, .was').allTextContents()
    expect(Number(price?.slice(1))).toBeLessThan(Number(was?.slice(1)))
    await page.locator('#products button').first().click()
    await page.locator('dialog[open] path').waitFor()
    expect(await page.locator('#product-price').textContent()).toContain(`${price} on `)
    await page.locator('dialog .close').click()
    await page.locator('#today').click()
    await page.locator('#empty').waitFor()
    expect(await total()).toBe(0)
    await page.locator('#clear').click()
    await expect.poll(total).toBe(now)
  })

  it('says what is wrong with an address, and marks nothing as HTML', async () => {
    await go('/')
    const answer = await page.request.get(`${shop.url}/api/search?day=2999-01-01`)
    expect([answer.status(), (await answer.json()).message]).toEqual([400, expect.stringContaining('future')])
    expect((await page.request.get(`${shop.url}/api/prices?url=https://shop.example/none`)).status()).toBe(404)
    expect((await page.request.get(`${shop.url}/../main.ts`)).status()).toBe(404)
    await page.goto(`${shop.url}/?color=${encodeURIComponent('<img src=x onerror=alert(1)>')}`)
    await page.locator('#empty').waitFor()
    expect(await page.locator('img').count()).toBe(0)
  })

  it.each([
    ['wide', 1280],
    ['narrow', 360],
  ])('is accessible and does not scroll sideways on a %s screen, light and dark', async (_, width) => {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await go('/?q=oak&color=red')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await violationsIn(page)).toEqual([])
    }
  })
})
