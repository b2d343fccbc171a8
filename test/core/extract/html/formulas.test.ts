import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'

const content = (html: string) => extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' }).markdown
const annotated = (tex: string) =>
  `<math><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`

describe('formulas in Markdown', () => {
  it.each([
    ['MathML with its TeX in an annotation', `<p>So ${annotated('x^2')} holds.`, 'So $x^2$ holds.'],
    [
      'MathML with its TeX in an attribute',
      '<p>So <math alttext="{\\displaystyle a_1}"><mi>a</mi></math>.',
      'So $a_1$.',
    ],
    [
      'KaTeX, once',
      `<p>So <span class=katex><span class=katex-mathml>${annotated('E=mc^2')}</span><span class=katex-html aria-hidden=true>E=mc2</span></span>.`,
      'So $E=mc^2$.',
    ],
    [
      'the alternative text of the image of a formula',
      '<p>So <img class="mwe-math tex" src=f.png alt="\\pi r">.',
      'So $\\pi r$.',
    ],
    [
      'the hidden TeX of MediaWiki, once',
      `<p>So <span class="mwe-math-element"><span style="display: none">${annotated('a^2')}</span><img class="mwe-math-fallback-image-inline" aria-hidden=true alt="a^2" src=f.svg></span>.`,
      'So $a^2$.',
    ],
    [
      'the image of MediaWiki without MathML',
      '<p>So <span class="mwe-math-element"><img class="mwe-math-fallback-image-inline" alt="{\\displaystyle a^2}" src=f.svg></span>.',
      'So $a^2$.',
    ],
    [
      'MathML without TeX as text',
      '<p>So <math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.',
      'So x² = 1/2.',
    ],
    [
      'the MathML of MathJax 3',
      '<p>So <mjx-container><mjx-math aria-hidden=true></mjx-math><mjx-assistive-mml><math><msqrt><mn>16</mn></msqrt></math></mjx-assistive-mml></mjx-container>.',
      'So √16.',
    ],
    ['the source of a formula of MathJax', '<p>So <script type="math/tex">a+b</script>.', 'So $a+b$.'],
    [
      'a display formula on a line of its own',
      '<p>So</p><script type="math/tex; mode=display">\\frac{a}\n{b}</script><p>x',
      'So\n\n$$\\frac{a} {b}$$\n\nx',
    ],
  ])('keeps %s', (_rule, html, expected) => {
    expect(content(html)).toBe(expected)
  })

  it('leaves out what MathJax rendered from the source', () => {
    const rendered = '<span class=MathJax_Preview>a b</span><span class="MathJax">a b</span>'
    expect(content(`<p>So ${rendered}<script type="math/tex">a+b</script>.`)).toBe('So $a+b$.')
  })

  it('does not let a formula contain a tag, a link, code or the end of the formula', () => {
    const markdown = content(`<p>So ${annotated('&lt;img src=x> [a](b) `c` $d$ \\')}.`)
    expect(markdown).not.toMatch(/<\w|\]\(|`/)
    expect(markdown.match(/\$/g)).toHaveLength(2)
    expect(markdown.endsWith('$.')).toBe(true)
  })
})
