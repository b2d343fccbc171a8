import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { FeedbackFolder } from '../../../service/data-folder/feedback-folder.ts'
import type { TrecPart } from '../../../service/feedback/trec-export.ts'
import { page, SiteServer } from '../../crawler/site-server.ts'
import { submissionOf } from '../feedback/temporary-store.ts'

let dir: string
let engine: Engine
let site: SiteServer
let folder: FeedbackFolder
let notices: string[]
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-feedback-'))
  engine = await open(':memory:')
  site = await SiteServer.start()
  notices = []
  folder = openFolder(true)
})
afterEach(async () => {
  await folder.close()
  await engine.close()
  await site.close()
  await rm(dir, { recursive: true, force: true })
})

function openFolder(refetch: boolean): FeedbackFolder {
  const onNotice = (line: string) => notices.push(line)
  return new FeedbackFolder({ dir, engine, refetch, allowPrivate: true, now: Date.now, onNotice })
}

const report = (url: string) => folder.record(submissionOf('tides', Date.now(), { [url]: 0 }), [url])
const textOf = async (url: string) => (await engine.page(url))?.markdown
const asked = (url: string) => site.asked(new URL(url).pathname)

async function exported(): Promise<string> {
  const parts: TrecPart[] = []
  await folder.export(part => {
    parts.push(part)
  })
  return parts.map(({ qrels }) => qrels).join('')
}

it('leaves nothing on disk before the first feedback', async () => {
  expect(await exported()).toBe('')
  await folder.copyTo(path.join(dir, 'copy'))
  expect(existsSync(path.join(dir, 'feedback'))).toBe(false)
  expect(existsSync(path.join(dir, 'copy'))).toBe(false)
})

it('fetches only the page that did not load again, and stores it if it has changed', async () => {
  const url = `${site.origin}/tides`
  await engine.add([{ url, title: 'Tides', text: 'Loading…' }])
  site.routes.set('/robots.txt', `User-agent: *\nSitemap: ${site.origin}/sitemap.xml\n`)
  site.routes.set('/tides', page('Tides', ['/other']))
  expect(await report(url)).toEqual({ refetches: 1 })
  await expect.poll(() => textOf(url)).toContain('This is the text of')
  await expect.poll(() => existsSync(path.join(dir, 'feedback', 'refetch'))).toBe(false)
  expect(site.asked()).toEqual(['/tides'])
  expect(notices).toEqual([])
})

it('obeys robots.txt', async () => {
  const url = `${site.origin}/tides`
  await engine.add([{ url, text: 'Loading…' }])
  site.routes.set('/robots.txt', 'User-agent: *\nDisallow: /\n')
  await report(url)
  await expect.poll(() => asked(`${site.origin}/robots.txt`)).toHaveLength(1)
  await expect.poll(() => existsSync(path.join(dir, 'feedback', 'refetch'))).toBe(false)
  expect(asked(url)).toEqual([])
})

it('resumes at the next start with the pages that are left', async () => {
  const url = `${site.origin}/tides`
  await engine.add([{ url, text: 'Loading…' }])
  site.routes.set('/tides', page('Tides'))
  await folder.close()
  folder = openFolder(false)
  await report(url)
  await folder.close()
  expect(asked(url)).toEqual([])
  folder = openFolder(true)
  await folder.start()
  await expect.poll(() => textOf(url)).toContain('This is the text of')
})

it('does not fetch a page again that was removed meanwhile', async () => {
  const [gone, other] = [`${site.origin}/gone`, `${site.origin}/other`]
  await engine.add([
    { url: gone, text: 'Loading…' },
    { url: other, text: 'Loading…' },
  ])
  for (const name of ['/gone', '/other']) site.routes.set(name, page(name))
  await folder.close()
  folder = openFolder(false)
  await report(gone)
  await report(other)
  await folder.close()
  await engine.remove(gone)
  folder = openFolder(true)
  await folder.start()
  await expect.poll(() => textOf(other)).toContain('This is the text of')
  expect(await engine.page(gone)).toBeUndefined()
  expect(asked(gone)).toEqual([])
})

it('exports and copies the feedback', async () => {
  await folder.record(submissionOf('tides', 1, { 'https://a.example/': 4 }), [])
  expect(await exported()).toMatch(/^[0-9a-f]{64} 0 https:\/\/a\.example\/ 4\n$/)
  await folder.copyTo(path.join(dir, 'copy'))
  const copy = new FeedbackFolder({
    dir: path.join(dir, 'copy'),
    engine,
    refetch: false,
    allowPrivate: false,
    now: Date.now,
    onNotice: () => {},
  })
  let qrels = ''
  await copy.export(part => {
    qrels += part.qrels
  })
  await copy.close()
  expect(qrels).toBe(await exported())
})
