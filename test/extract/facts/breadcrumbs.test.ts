import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const breadcrumbs = (html: string) =>
  extractPage(html, { url: 'https://a.example/x/y', contentType: 'text/html' }).breadcrumbs

describe('breadcrumbs', () => {
  it('come from JSON-LD, in the order of their positions', () => {
    const list = {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { position: 2, name: 'Boots', item: { '@id': '/boots' } },
        { position: 1, item: { '@id': 'https://a.example/', name: 'Home' } },
        { position: 3, name: 'This boot' },
      ],
    }
    expect(breadcrumbs(`<script type="application/ld+json">${JSON.stringify(list)}</script>`)).toEqual([
      { name: 'Home', url: 'https://a.example/' },
      { name: 'Boots', url: 'https://a.example/boots' },
      { name: 'This boot' },
    ])
  })

  it.each([
    ['by class', '<ul class=breadcrumbs><li><a href=/>Home</a><li><a href=/boots>Boots</a><li>Here</ul>'],
    ['by label', '<nav aria-label=Breadcrumb><a href=/>Home</a> / <a href=/boots>Boots</a></nav>'],
  ])('are the links of an element that is called breadcrumbs %s', (_how, html) => {
    expect(breadcrumbs(html)).toEqual([
      { name: 'Home', url: 'https://a.example/' },
      { name: 'Boots', url: 'https://a.example/boots' },
    ])
  })

  it('come from the first element that is called breadcrumbs by class or label', () => {
    const named = '<ul class=breadcrumb><li><a href=/named>Named</a></ul>'
    const labeled = '<nav aria-label=Breadcrumbs><a href=/labeled>Labeled</a></nav>'
    expect(breadcrumbs(named + labeled)).toEqual([{ name: 'Named', url: 'https://a.example/named' }])
    expect(breadcrumbs(labeled + named)).toEqual([{ name: 'Labeled', url: 'https://a.example/labeled' }])
  })

  it('are absent if the page has none', () => {
    expect(breadcrumbs('<p>x')).toBeUndefined()
  })
})
