import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { documentUrl, open } from '../../core/index.ts'
import { hostOf, normalizeUrl } from '../../core/url.ts'

const engine = await open(':memory:')
afterAll(() => engine.close())

describe('the URL of a document without an address', () => {
  it.each([
    ['p1', 'doc:p1'],
    ['P1', 'doc:P1'],
    ['a/b:c@d', 'doc:a/b:c@d'],
    ['//host/../x', 'doc://host/../x'],
    ['50% off?#1', 'doc:50%25%20off%3F%231'],
    ['Größe 7', 'doc:Gr%C3%B6%C3%9Fe%207'],
    [' ', 'doc:%20'],
  ])('of %j is %s', (id, url) => {
    expect(documentUrl(id)).toBe(url)
    expect(normalizeUrl(url)).toBe(url)
    expect(hostOf(url)).toBe('')
  })

  it('is different for different ids, and has one normal form', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), id => {
        const url = documentUrl(id)
        expect(decodeURIComponent(url.slice(4))).toBe(id.toWellFormed())
        expect(normalizeUrl(url)).toBe(url)
        expect(normalizeUrl(`DOC:${encodeURIComponent(id.toWellFormed())}#part`)).toBe(url)
      }),
    )
  })

  it('is rejected without an id, with one that is no text, and beyond the length of URLs', () => {
    for (const id of ['', undefined, null, 7, {}, 'x'.repeat(3000)])
      expect(() => documentUrl(id as string), String(id)).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_URL' }))
    expect(() => normalizeUrl('doc:')).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_URL' }))
  })
})

describe('a document without an address', () => {
  it('may have a url that is null, and a page an id that is null, but not both', async () => {
    const pages = [
      { id: 'n1', url: null, text: 'a samovar' },
      { id: null, url: 'https://tea.example/', text: 'a teapot' },
      { id: 'n2', url: 'https://tea.example/2', text: 'a cup' },
    ] as unknown as Parameters<typeof engine.add>[0]
    const { added, failures } = await engine.add(pages)
    expect(added).toBe(2)
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining('id is given beside url')])
    expect(await engine.page('doc:n1')).toMatchObject({ url: 'doc:n1' })
    await engine.purgeAll({ urls: ['doc:n1', 'https://tea.example/'] })
  })

  it('is added by its id, and found, read, superseded and removed by its URL', async () => {
    const report = await engine.add([
      { id: 'p1', title: 'Kettle', text: 'boils a liter', acquiredAt: '2025-01-01' },
      { id: 'p2', text: 'toasts bread', acquiredAt: '2025-01-01' },
      { id: 'p1', title: 'Kettle', text: 'boils two liters', acquiredAt: '2025-02-01' },
    ])
    expect(report).toMatchObject({ added: 3, failures: [] })
    const found = async (query: string, queryTime?: string) =>
      (await engine.search(query, { queryTime })).results.map(({ url }) => url)
    expect(await found('liters')).toEqual(['doc:p1'])
    expect(await found('liter', '2025-01-15')).toEqual(['doc:p1'])
    expect(await engine.page('doc:p2')).toMatchObject({
      url: 'doc:p2',
      markdown: expect.stringContaining('toasts bread'),
    })
    await engine.remove(documentUrl('p2'))
    expect(await found('bread')).toEqual([])
  })

  it('without a text as its id is reported, and the others are added', async () => {
    const { added, failures } = await engine.add([
      { id: '', text: 'one' },
      { id: 7, text: 'two' },
      { id: 'p3', text: 'three' },
    ] as never)
    expect(added).toBe(1)
    for (const { code } of failures) expect(code).toBe('ASOF_INVALID_URL')
    expect(failures).toHaveLength(2)
  })
})
