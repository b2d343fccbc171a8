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
  violationsIn,
} from './console-server.ts'

describe.skipIf(chromiumPath === undefined)('the console of an administrator (skipped without Chromium)', () => {
  let server: ConsoleServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    buildConsole()
    server = await serveConsole(harborHistory())
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    complaints = []
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(error.message))
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  const perform = async (act: Parameters<ConsoleServer['access']['administer']>[0], input: object) =>
    (await server.access.administer(act, input, 'tests')) as { id: string; key: string }
  const signIn = async (path: string) => {
    await page.goto(server.url + path)
    await page.fill('.sign-in [name=token]', adminToken)
    await page.press('.sign-in [name=token]', 'Enter')
    await page.waitForSelector('.operate')
  }
  const search = async (key: string) => {
    const response = await fetch(`${server.url}/v1/search`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"query":"ferry"}',
    })
    return response.status
  }

  it('asks for the admin token, says that another one is wrong, and forgets it after signing out', async () => {
    await page.goto(`${server.url}/health`)
    await page.fill('[name=token]', 'not the token')
    await page.press('[name=token]', 'Enter')
    await page.waitForSelector('text=This is not the admin token')
    await page.fill('[name=token]', adminToken)
    await page.press('[name=token]', 'Enter')
    await page.waitForSelector('.cards')
    await page.reload()
    await page.waitForSelector('.cards')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.click('text=Sign out')
    await page.waitForSelector('.sign-in')
    await page.reload()
    await page.waitForSelector('.sign-in')
  })

  it('creates an organization, a workspace and a key, shows the key once, rotates and revokes it', async () => {
    await signIn('/access')
    await page.fill('[name=name]', 'Harbor Inc.')
    await page.click('text="Create"')
    await page.waitForSelector('h1:has-text("Harbor Inc.")')
    await page.fill('.panel:has-text("Workspaces") [name=name]', 'production')
    await page.click('text=Create a workspace')
    await page.waitForSelector('.workspace h3:has-text("production")')
    await page.fill('.workspace [name=label]', 'website')
    await page.click('text=Create a key')
    const first = (await page.locator('dialog[open] .secret').textContent())!.trim()
    expect(await search(first)).toBe(200)
    await page.click('dialog[open] [type=submit]')
    await page.waitForSelector('.workspace td:has-text("website")')
    await expect.poll(() => page.locator('body').textContent()).not.toContain(first)
    page.on('dialog', dialog => void dialog.accept())
    await page.click('text="Rotate"')
    const second = (await page.locator('dialog[open] .secret').textContent())!.trim()
    expect([await search(first), await search(second)]).toEqual([401, 200])
    await page.click('dialog[open] [type=submit]')
    await page.click('text="Disable"')
    await page.waitForSelector('text="Enable"')
    expect(await search(second)).toBe(403)
    await page.click('text="Revoke"')
    await page.waitForSelector('td:has-text("revoked")')
    expect(await search(second)).toBe(401)
    await page.fill('.workspace [name=sealed_at]', '2024-03-01')
    await page.click('text=Create a key')
    await page.click('dialog[open] [type=submit]')
    await page.waitForSelector('.workspace td:has-text("1 Mar 2024")')
  })

  it('changes settings, adds credits, shows the calls of the month, and lists all that in the audit log', async () => {
    const { id: org } = await perform('org.create', { name: 'Before' })
    const { id: workspace } = await perform('workspace.create', { name: 'main', org })
    const { key } = await perform('key.create', { workspace })
    expect(await search(key)).toBe(200)
    await signIn(`/access?org=${org}`)
    await page.waitForSelector('.figures')
    expect(await page.locator('.figures div:has-text("Calls") dd').first().textContent()).toBe('1')
    await page.fill('[name=credits]', '500')
    await page.click('text=Add credits')
    await page.waitForSelector('.figures dd:has-text("500")')
    await page.fill('.panel:has-text("Settings") [name=name]', 'After')
    await page.check('[name=zdr]')
    await page.click('text="Save"')
    await page.waitForSelector('h1:has-text("After")')
    expect(await server.access.administer('org.list', { limit: 1_000 }, 'tests')).toContainEqual(
      expect.objectContaining({ id: org, name: 'After', zdr: true }),
    )
    await page.goto(`${server.url}/access?part=audit`)
    await page.waitForSelector('td:has-text("org.update")')
    expect(await page.locator('td:has-text("admin token")').count()).toBeGreaterThan(0)
  })

  it('shows how the server is doing', async () => {
    await signIn('/health')
    await page.waitForSelector('.cards')
    const { captures } = await server.engine.stats()
    expect(await page.locator('.facts div:has-text("Captures") dd').textContent()).toBe(String(captures))
    expect(await page.locator('.columns li').count()).toBeGreaterThan(10)
    expect(await page.locator('td:has-text("/admin/session")').count()).toBeGreaterThan(0)
  })

  it('has the data folder examined, and shows what was found', async () => {
    await signIn('/health')
    await page.waitForSelector('text=has not been examined')
    await page.click('text=Examine the data folder')
    await page.waitForSelector('text=Everything is sound', { timeout: 60_000 })
    const { captures } = await server.engine.stats()
    expect(await page.locator('text=Everything is sound').textContent()).toContain(`${captures} captures`)
  })

  it('asks to sign in before a search of a private index, then shows its answer', async () => {
    const hidden = await serveConsole(harborHistory(), { privateSearch: true })
    try {
      await page.goto(`${hidden.url}/?q=ferry`)
      await page.click('.failure a:has-text("Sign in")')
      await page.fill('[name=token]', adminToken)
      await page.press('[name=token]', 'Enter')
      await page.waitForSelector('.result')
      expect(new URL(page.url()).search).toBe('?q=ferry')
    } finally {
      await page.goto('about:blank')
      await hidden.close()
    }
  })

  it.each(['light', 'dark'] as const)(
    'has no violation that axe finds, and fits a narrow window, in the %s theme',
    async colorScheme => {
      const { id: org } = await perform('org.create', { name: 'Looked at' })
      const { id: workspace } = await perform('workspace.create', { name: 'main', org })
      await perform('key.create', { workspace, label: 'one' })
      await page.emulateMedia({ colorScheme })
      await page.goto(`${server.url}/access`)
      await page.waitForSelector('.sign-in')
      expect(await violationsIn(page)).toEqual([])
      await signIn('/access')
      for (const [path, shown] of [
        ['/access', 'table'],
        [`/access?org=${org}`, '.workspace table'],
        ['/access?part=agents', '.card'],
        ['/access?part=audit', 'table'],
        ['/health', '.columns'],
      ] as const) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.goto(server.url + path)
        await page.waitForSelector(shown)
        expect([path, await violationsIn(page)]).toEqual([path, []])
        await page.setViewportSize({ width: 360, height: 800 })
        const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        expect([path, over > 0]).toEqual([path, false])
      }
    },
  )
})
