import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

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

  it('reads what KaTeX and MathJax drew, if the page has no source', () => {
    const vlist = (...items: [number, string][]) =>
      `<span class=vlist-t><span class=vlist-r><span class=vlist>${items
        .map(
          ([top, text]) =>
            `<span style="top:${top}em;"><span class=pstrut></span><span class=mord>${text}</span></span>`,
        )
        .join('')}</span></span></span>`
    const katex = (html: string) =>
      `<p>So <span class=katex><span class=katex-html aria-hidden=true><span class=base>${html}</span></span></span>.`
    const power = `<span class=mord><span class=mord>c</span><span class=msupsub>${vlist([-3.063, '2'])}</span></span>`
    expect(content(katex(`<span class=mord>E</span><span class=mrel>=</span><span class=mord>m</span>${power}`))).toBe(
      'So E = mc².',
    )
    expect(content(katex(`<span class=mord>x</span><span class=msupsub>${vlist([-2.55, 'i'])}</span>`))).toBe('So xᵢ.')
    const fraction = `<span class=mord><span class=mfrac>${vlist([-2.314, '2'], [-3.23, ''], [-3.677, 'a+b'])}</span></span>`
    expect(content(katex(fraction))).toBe('So (a+b)/2.')
    const c = (code: string) => `<mjx-c class="mjx-c${code}"></mjx-c>`
    const mjx = (html: string) =>
      `<p>So <mjx-container class=MathJax jax=CHTML><mjx-math class=MJX-TEX aria-hidden=true>${html}</mjx-math></mjx-container>.`
    const two = `<mjx-mn class=mjx-n>${c('32')}</mjx-mn>`
    const x = `<mjx-mi class=mjx-i>${c('1D465')}</mjx-mi>`
    expect(content(mjx(`<mjx-msup>${x}<mjx-script>${two}</mjx-script></mjx-msup>`))).toBe('So x².')
    expect(
      content(
        mjx(
          `<mjx-mfrac><mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut>${x}</mjx-num><mjx-dbox><mjx-dtable><mjx-line></mjx-line><mjx-row><mjx-den><mjx-dstrut></mjx-dstrut>${two}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>`,
        ),
      ),
    ).toBe('So x/2.')
  })

  it('reads the characters that MathJax draws as shapes, in the order of its drawings', () => {
    const svg = (html: string) =>
      `<p>So <mjx-container class=MathJax jax=SVG><svg><defs><path id=a d=M0></path></defs><g><g data-mml-node=math>${html}</g></g></svg></mjx-container>.`
    const [x, two, n] = ['1D465', '32', '1D45B'].map(
      (code, i) => `<g data-mml-node=${i === 1 ? 'mn' : 'mi'}><use data-c=${code} xlink:href=#a></use></g>`,
    )
    const sign = (code: string) => `<g data-mml-node=mo><path data-c=${code} d=M0></path></g>`
    expect(content(svg(`<g data-mml-node=msup>${x}${two}</g>${sign('2B')}${two}`))).toBe('So x² + 2.')
    expect(content(svg(`<g data-mml-node=mfrac>${x}${two}<rect width=1></rect></g>`))).toBe('So x/2.')
    expect(content(svg(`<g data-mml-node=msubsup>${x}${two}${n}</g>`))).toBe('So xₙ².')
    expect(content(svg(`<g data-mml-node=msqrt><g>${x}</g>${sign('221A')}<rect></rect></g>`))).toBe('So √x.')
    expect(
      content(
        svg(`<g data-mml-node=mroot><g>${x}</g><g data-mml-node=mn><use data-c=33></use></g>${sign('221A')}</g>`),
      ),
    ).toBe('So ∛x.')
  })

  it('warns of drawings that say nothing', () => {
    const drawn = '<mjx-container jax=SVG><svg><path d=M0></path></svg></mjx-container>'
    const named = '<mjx-container jax=SVG aria-label="x squared"><svg><path d=M0></path></svg></mjx-container>'
    const page = extractPage(`<p>So ${drawn} and ${drawn} or ${named}.`, {
      url: 'https://a.example/',
      contentType: 'text/html',
    })
    expect(page.markdown).toContain('x squared')
    expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 2 formulas' }])
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
