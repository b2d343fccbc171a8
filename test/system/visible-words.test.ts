import { describe, expect, it } from 'vitest'
import { chromiumPath, openChromium, showPage } from '../../bench/visible/shown-page.ts'
import { compareWords } from '../../bench/visible/word-comparison.ts'
import { extractPage } from '../../extract/extract-page.ts'

describe.skipIf(chromiumPath === undefined)('with Chromium (skipped if it is not installed)', () => {
  it('finds no word of the Markdown that Chromium does not show, but in listed kinds', async () => {
    const story = '<p>The harbor of the town was rebuilt in three stages, each of them longer than planned.</p>'
    const html =
      `<style>.gone{display:none}</style><main><article><h1>Works</h1>${story.repeat(4)}<p hidden>Zeta</p>` +
      '<p style="visibility:hidden">Theta</p><img src=a.png alt=Alpha><noscript>Beta</noscript><p class=gone>Gamma</p>' +
      '<details><summary>More</summary>Delta</details><script>document.body.append("Iota")</script><p>Kappa</p></article></main>'
    const browser = await openChromium()
    try {
      const shown = await showPage(await browser.newContext({ javaScriptEnabled: false }), html)
      expect(shown.shown).toContain('Kappa')
      const { markdown, explanation } = extractPage(html, { url: 'https://a.example/', explain: true })
      const { invisible, missing } = compareWords(shown, {
        markdown,
        dropped: explanation!.dropped,
        body: 'Works Kappa Zeta',
      })
      expect(Object.fromEntries(invisible)).toEqual({
        'alternative text': ['alpha'],
        collapsed: ['delta'],
        'hidden by a style sheet': ['gamma'],
      })
      expect(Object.fromEntries(missing)).toEqual({ 'repeated title': ['works'] })
    } finally {
      await browser.close()
    }
  }, 60_000)
})
