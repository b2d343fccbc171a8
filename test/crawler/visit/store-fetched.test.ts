import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { storeFetched } from '../../../crawler/visit/store-fetched.ts'
import { extractPage } from '../../../extract/extract-page.ts'
import { page } from '../site-server.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(() => engine.close())

const at = (path: string) => `https://www.a.example${path}`
const claims = (path: string) => `<link rel=canonical href="${at(path)}">`
const store = (path: string, html: string, headers: Record<string, string> = {}, redirects: string[] = []) =>
  storeFetched(
    engine,
    { url: at(path), headers, redirects },
    extractPage(html, { url: at(path), contentType: 'text/html' }),
  )
const storedAs = async (path: string) => (await engine.page(at(path)))?.url

describe('a page that was fetched outside a crawl', () => {
  it('is an alias of the address that it claims only if the index has the same text there', async () => {
    await store('/real', page('Real'))
    await store('/copy', page('Real', [], claims('/real')), {}, [at('/old')])
    await store('/header', page('Real'), { link: '</real>; rel=canonical' })
    await store('/other', page('Other', [], claims('/real')))
    await store('/unread', page('Unread', [], claims('/never')))
    expect(await Promise.all(['/copy', '/old', '/header', '/other', '/unread', '/never'].map(storedAs))).toEqual([
      at('/real'),
      at('/real'),
      at('/real'),
      at('/other'),
      at('/unread'),
      undefined,
    ])
    expect((await engine.stats()).captures).toBe(3)
  })
  it('gets its own address when its text changes, and keeps it', async () => {
    await store('/real', page('Real'))
    await store('/copy', page('Real', [], claims('/real')))
    await store('/copy', page('Changed', [], claims('/real')))
    expect([await storedAs('/copy'), (await engine.page(at('/real')))?.title]).toEqual([at('/copy'), 'Real'])
    await store('/copy', page('Real', [], claims('/real')))
    expect((await engine.page(at('/copy')))?.url).toBe(at('/copy'))
  })
  it('ignores the claim of another site', async () => {
    await engine.add([{ url: 'https://b.example/', html: page('Real') }])
    await store('/copy', page('Real', [], '<link rel=canonical href="https://b.example/">'))
    expect(await storedAs('/copy')).toBe(at('/copy'))
  })
})
