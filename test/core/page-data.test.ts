import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, repair } from '../../core/index.ts'

const START_AT = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000
const url = 'https://shop.example.com/lamp'

const html = (price: number) =>
  `<meta property=og:site_name content="Lamp House"><title>Lamp</title><script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":${price}}}</script><h1>Lamp</h1><p>A lamp for ${price}.`
const dataOf = (price: number) => [{ '@type': 'Product', name: 'Lamp', offers: { price } }]

let root: string
let dir: string
let now = START_AT

async function withEngine<T>(folder: string, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await open(folder, { now: () => now, searchThreads: 0 })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** The site's name and data as of each of three days. */
const told = (folder: string) =>
  withEngine(folder, async engine => {
    const pages = []
    for (const queryTime of ['2024-01-01', '2024-01-03', '2024-01-06'])
      pages.push(await engine.page(url, { queryTime }))
    return pages.map(page => page && [page.siteName, page.data])
  })

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-data-'))
  dir = path.join(root, 'data')
  await withEngine(dir, async engine => {
    now = START_AT + DAY_MS
    await engine.add([{ url, html: html(20) }])
    now = START_AT + 4 * DAY_MS
    await engine.add([{ url, html: html(25) }])
    now = START_AT + 9 * DAY_MS
  })
})
afterAll(() => rm(root, { recursive: true }))

const right = [undefined, ['Lamp House', dataOf(20)], ['Lamp House', dataOf(25)]]

describe("a page's structured data and its site's name", () => {
  it('are those of the capture that is valid at the instant', async () => {
    expect(await told(dir)).toEqual(right)
  })

  it('are included in a backup', async () => {
    const target = path.join(root, 'backup')
    await withEngine(dir, engine => engine.backup(target))
    expect(await told(target)).toEqual(right)
  })

  it('are kept by a repair', async () => {
    const target = path.join(root, 'repaired')
    await withEngine(dir, engine => engine.backup(target))
    await repair(target)
    expect(await told(target)).toEqual(right)
  })

  it('are deleted at every instant by a purge', async () => {
    const target = path.join(root, 'purged')
    await withEngine(dir, engine => engine.backup(target))
    await withEngine(target, engine => engine.purge(url))
    expect(await told(target)).toEqual([undefined, undefined, undefined])
  })

  it('are those that the caller passes, if any, instead of those in the page', async () => {
    const given = { siteName: 'Given', data: [{ '@type': 'Thing' }] }
    const target = path.join(root, 'given')
    const page = await withEngine(target, async engine => {
      await engine.add([{ url, html: html(20), ...given }])
      return engine.page(url)
    })
    expect(page).toMatchObject(given)
  })
})
