import { describe, expect, it } from 'vitest'
import type { ExtractedPage } from '../../../core/index.ts'
import type { FetchedPage } from '../../../crawler/fetch/fetcher.ts'
import { needsRendering } from '../../../crawler/rendering/script-shell.ts'

const extracted = (markdown = '') => ({ markdown }) as ExtractedPage
const fetched = (html: string, contentType = 'text/html') =>
  ({ body: Buffer.from(html), contentType }) as Partial<FetchedPage> as FetchedPage
const needs = (html: string, markdown = '', type?: string) => needsRendering(fetched(html, type), extracted(markdown))

describe('needsRendering', () => {
  it.each([
    '<div id="root"></div><script src=a.js></script>',
    '<script></script><main class="x" id=app>',
    '<app-root></app-root><script>',
    '<html ng-app><script>',
    '<noscript>Please turn on JavaScript.</noscript><script>',
  ])('is true for a page with the root element of an app and little text: %s', html => {
    expect(needs(html)).toBe(true)
  })

  it.each([
    ['that has text', '<div id="root"></div><script>', 'word '.repeat(100), 'text/html'],
    ['that has no scripts', '<div id="root"></div>', '', 'text/html'],
    ['that is not HTML', '<div id="root"></div><script>', '', 'text/plain'],
    ['whose root element belongs to no app framework', '<div id="rooted"></div><script>', '', 'text/html'],
  ])('is false for a page %s', (_, html, markdown, type) => {
    expect(needs(html, markdown, type)).toBe(false)
  })

  it.each(['<div ', '<div id', '<noscript>', '<noscript>java', '<script '])(
    'takes bounded time for 19 MiB of %j',
    part => {
      const html = part.repeat((19 * 1024 * 1024) / part.length)
      const before = process.cpuUsage()
      needs(`<script>${html}`)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(20)
    },
  )
})
