/**
 * Writes pictures of every view of the console in every state, in both themes, narrow and wide, into a folder, and the picture of the
 * documents (`console.png`). Run: `npm run console:screenshots -- <folder> [name]`; with a name, only the pictures whose names have it.
 * Needs Chromium. The pages are the change logs of the installed packages.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { parseCorpus } from '../../crawler/index.ts'
import { logCaptures } from '../../transports/cli/demo/load.ts'
import { type PackageReadme, packageReadmes } from '../../transports/cli/demo/project-files.ts'
import { page as html, SiteServer } from '../crawler/site-server.ts'
import { adminToken, buildConsole, harborHistory, serveConsole, startBrowser } from './console-server.ts'

interface Shot {
  name: string
  path: string
  /** What must be there before the picture is taken. */
  shown: string
  /** Answers calls of the API in place of the server. */
  api?: (route: Route) => Promise<void>
  act?: (page: Page) => Promise<void>
  /** True if nobody has signed in. */
  isStranger?: boolean
}

const folder = resolve(process.argv[2] ?? 'console-screenshots')
const only = process.argv[3] ?? ''
const SEARCH = '/?q=breaking+changes+drop+node'
const THEN = '&at=2023-06-30T23:59:59.999Z'
const PAGE = '/page?url=https://unpkg.com/acorn/CHANGELOG.md&at=2023-02-01T00:00:00Z'
const HOSTILE = '/page?url=https://harbor.example/hostile'
const never = () => new Promise<void>(() => {})
const fails = (route: Route) =>
  route.fulfill({
    status: 500,
    json: { error: 'internal_error', message: 'The search failed.' },
    headers: { 'x-request-id': '3f0c-77' },
  })
const refuses = (route: Route) =>
  route.fulfill({
    status: 429,
    json: { error: 'rate_limited', message: 'Too many.' },
    headers: { 'retry-after': '90' },
  })

const shots: Shot[] = [
  { name: 'home', path: '/', shown: '.intro' },
  {
    name: 'suggestions',
    path: '/',
    shown: '.intro',
    act: async page => {
      await page.keyboard.type('acor')
      await page.waitForSelector('.suggestions [role=option]')
      await page.keyboard.press('ArrowDown')
    },
  },
  { name: 'search', path: SEARCH, shown: '.result' },
  {
    name: 'search-past',
    path: SEARCH + THEN,
    shown: '.result',
    act: async page => {
      await page.keyboard.press('[')
      await page.keyboard.press('[')
      await page.waitForTimeout(900)
    },
  },
  {
    name: 'search-going',
    path: SEARCH,
    shown: '.result',
    act: async page => {
      await page.route('**/v1/search/public', never)
      await page.locator('[role=slider]').press('Home')
    },
  },
  { name: 'search-unread', path: `${SEARCH}&at=March+2023`, shown: '.failure' },
  {
    name: 'search-typed',
    path: SEARCH,
    shown: '.result',
    act: async page => {
      await page.getByLabel('Exact moment').fill('last march')
      await page.keyboard.press('Enter')
    },
  },
  { name: 'search-explained', path: SEARCH + THEN, shown: '.result', act: page => page.keyboard.press('e') },
  {
    name: 'search-filters',
    path: `${SEARCH}&site=unpkg.com&published_after=2020-01-01`,
    shown: '.result',
    act: page => page.getByText('Filters', { exact: true }).click(),
  },
  { name: 'search-facets', path: `${SEARCH}&facets=published_at:year&sort=published_at:desc&page=2`, shown: '.facet' },
  { name: 'search-empty', path: '/?q=zzzzqqqq&at=2015-01-31T23:59:59.999Z', shown: '.state' },
  { name: 'search-loading', path: SEARCH, shown: '.loading', api: never },
  { name: 'search-error', path: SEARCH, shown: '.failure', api: fails },
  { name: 'search-limited', path: SEARCH, shown: '.failure', api: refuses },
  { name: 'search-invalid', path: `${SEARCH}&published_after=soon`, shown: '.failure' },
  { name: 'compare', path: `${SEARCH}&at=2021-06-30T23:59:59.999Z&against=now`, shown: '.compared' },
  { name: 'page', path: PAGE, shown: '.markdown' },
  { name: 'page-changes', path: `${PAGE}&view=changes`, shown: '.changes' },
  { name: 'page-changes-inline', path: `${PAGE}&view=changes&layout=inline`, shown: '.changes' },
  { name: 'page-metadata', path: '/page?url=https://harbor.example/ferry&view=data', shown: '.metadata' },
  { name: 'page-removed', path: '/page?url=https://harbor.example/old', shown: '.state' },
  { name: 'page-hostile', path: HOSTILE, shown: '.markdown' },
  { name: 'page-loading', path: PAGE, shown: '.loading', api: never },
  { name: 'page-error', path: PAGE, shown: '.failure', api: fails },
  { name: 'page-missing', path: '/page?url=https://harbor.example/none', shown: '.state' },
  { name: 'sign-in', path: '/health', shown: '.sign-in', isStranger: true },
  { name: 'health', path: '/health', shown: '.columns' },
  { name: 'health-error', path: '/health', shown: '.failure', api: fails },
  { name: 'crawls', path: '/crawls', shown: '.sparkline' },
  {
    name: 'crawls-preview',
    path: '/crawls',
    shown: '.crawl-form',
    act: async page => {
      await page.fill('[name=what]', `${site.origin}/`)
      await page.click('button[value=preview]')
      await page.waitForSelector('.crawl h3')
    },
  },
  { name: 'crawl', path: '/crawls?name=harbor', shown: '.panel table' },
  { name: 'crawls-loading', path: '/crawls', shown: '.loading', api: never },
  { name: 'crawls-error', path: '/crawls', shown: '.failure', api: fails },
  { name: 'access', path: '/access', shown: '.operate table' },
  { name: 'access-loading', path: '/access', shown: '.loading', api: never },
  {
    name: 'organization',
    path: '/access',
    shown: '.operate table',
    act: async page => {
      await page.click('.operate table a')
      await page.waitForSelector('.workspace table')
    },
  },
  { name: 'agents', path: '/access?part=agents', shown: '.card' },
  { name: 'audit', path: '/access?part=audit', shown: '.operate table' },
  { name: 'docs', path: '/docs/time-travel', shown: '.docs-text h2' },
  {
    name: 'keys',
    path: '/',
    shown: '.intro',
    act: async page => {
      await page.locator('.search-input').blur()
      await page.keyboard.press('?')
    },
  },
  { name: 'nowhere', path: '/nowhere', shown: '.state' },
  { name: 'docs-missing', path: '/docs/none', shown: '.state' },
]

const forms = [
  { name: 'light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: 'narrow', width: 360, height: 800, colorScheme: 'light' },
  { name: '4k', width: 3840, height: 2160, colorScheme: 'light' },
] as const

mkdirSync(folder, { recursive: true })
buildConsole()
const packages: PackageReadme[] = []
for await (const found of packageReadmes(resolve(import.meta.dirname, '../..'))) packages.push(found)
const full = await serveConsole([...logCaptures(packages, Date.now()), ...harborHistory()])
const { id: org } = (await full.access.administer('org.create', { name: 'Harbor Inc.' }, 'ada')) as { id: string }
const workspace = (await full.access.administer('workspace.create', { name: 'production', org }, 'ada')) as {
  id: string
}
for (const label of ['website', 'nightly job'])
  await full.access.administer('key.create', { workspace: workspace.id, label }, 'ada')
const empty = await serveConsole([])
/** A site whose crawl never ends, because one of its pages is never answered. */
const site = await SiteServer.start({
  '/': html('Harbor', ['/ferry', '/gone', '/slow']),
  '/ferry': html('Ferry'),
  '/slow': () => {},
})
await full.crawls.start({
  corpus: parseCorpus({ name: 'harbor', seeds: [`${site.origin}/`] }),
  limits: { delayMs: 0, watch: true },
})
const browser = await startBrowser()
try {
  for (const { name: form, colorScheme, ...viewport } of forms) {
    const context = await browser.newContext({ viewport, colorScheme })
    const stranger = await browser.newContext({ viewport, colorScheme })
    await context.request.post(`${full.url}/admin/session`, {
      data: { token: adminToken },
      headers: { origin: full.url },
    })
    const take = async (url: string, { name, path, shown, api, act, isStranger }: Shot) => {
      if (!name.includes(only)) return
      const page = await (isStranger ? stranger : context).newPage()
      if (api) await page.route(/\/v1\/(search|history)|\/admin\/(metrics|org|crawls\/list)/, api)
      await page.goto(url + path)
      await page.waitForSelector(shown)
      await act?.(page)
      await page.waitForTimeout(350)
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (over > 0) console.log(`${name}-${form}: wider than the window by ${over} px`)
      await page.screenshot({ path: join(folder, `${name}-${form}.png`) })
      await page.close()
    }
    for (const shot of shots) await take(full.url, shot)
    await context.request.post(`${empty.url}/admin/session`, {
      data: { token: adminToken },
      headers: { origin: empty.url },
    })
    await take(empty.url, { name: 'crawls-empty', path: '/crawls', shown: '.crawl-form' })
    await take(empty.url, { name: 'home-empty', path: '/', shown: '.state' })
    await Promise.all([context.close(), stranger.close()])
  }
  // The picture of the documents, with twice the pixels.
  if ('console'.includes(only)) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, deviceScaleFactor: 2 })
    // The first searches of a process load and compile what the next ones use.
    for (let i = 0; i < 30; i++) {
      await page.goto(`${full.url}${SEARCH}${THEN}`)
      await page.waitForSelector('.result')
    }
    await page.screenshot({ path: join(folder, 'console.png') })
    await page.close()
  }
} finally {
  await browser.close()
  await site.close()
  await Promise.all([full.close(), empty.close()])
}
console.log(`the pictures are in ${folder}`)
