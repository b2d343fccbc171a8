import { existsSync } from 'node:fs'
import type { BrowserContext } from 'playwright-core'

/**
 * The reasons why Chromium does not show a text of a page. `structured data`: the text is in JSON-LD, whose article becomes the Markdown if
 * scripts fill in the page. `clipped`: the text has a place in the page, but none on the screen.
 */
export const hiddenKinds = [
  'alternative text',
  'noscript',
  'collapsed',
  'controls',
  'formulas',
  'structured data',
  'clipped',
  'hidden by attribute or style',
  'hidden by a style sheet',
] as const
export type HiddenKind = (typeof hiddenKinds)[number]

/** What Chromium shows of a page. */
export interface ShownPage {
  /** `innerText` of the body. */
  shown: string
  /** The text that is not shown, by the reason. */
  hidden: Partial<Record<HiddenKind, string>>
}

/** The path of Chromium on Debian and others; undefined if it is not installed. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

const OPEN_MS = 15_000

/** Starts Chromium. */
export async function openChromium() {
  const { chromium } = await import('playwright-core')
  if (chromiumPath === undefined)
    throw new Error('the suite needs Chromium: install it, such as with apt install chromium')
  return await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
}

/** Shows HTML in Chromium. Scripts of the page do not run, and no request leaves the browser. */
export async function showPage(context: BrowserContext, html: string): Promise<ShownPage> {
  const page = await context.newPage()
  try {
    let isServed = false
    await page.route('**/*', async route => {
      if (isServed) return route.abort()
      isServed = true
      return route.fulfill({ body: html, contentType: 'text/html; charset=utf-8' })
    })
    await page.goto('http://page.invalid/', { waitUntil: 'domcontentloaded', timeout: OPEN_MS })
    return await page.evaluate<ShownPage>(readShown)
  } finally {
    await page.close()
  }
}

/** Runs in the browser; a string, because the sources of asof are checked without the types of a browser. */
const readShown = `(() => {
  const hidden = {}
  const add = (kind, text) => { hidden[kind] = (hidden[kind] ?? '') + ' ' + text }
  for (const image of document.querySelectorAll('[alt]')) add('alternative text', image.getAttribute('alt'))
  const kindOf = parent => {
    const script = parent.closest('script')
    if (script) return script.type.startsWith('math/') ? 'formulas' : script.type.endsWith('ld+json') ? 'structured data' : ''
    if (parent.closest('style, head')) return ''
    if (parent.closest('math, .MathJax_Preview, .katex')) return 'formulas'
    if (parent.closest('select, textarea, button, option')) return 'controls'
    if (parent.closest('noscript')) return 'noscript'
    if (parent.closest('details:not([open]), [role=tabpanel]')) return 'collapsed'
    if (parent.checkVisibility({ visibilityProperty: true })) return 'clipped'
    const byElement = '[hidden], [style*=none], [style*=hidden], template, object, iframe, video, audio'
    return parent.closest(byElement) ? 'hidden by attribute or style' : 'hidden by a style sheet'
  }
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const kind = text.parentElement ? kindOf(text.parentElement) : ''
    if (kind !== '') add(kind, text.textContent)
  }
  return { shown: document.body?.innerText ?? '', hidden }
})()`
