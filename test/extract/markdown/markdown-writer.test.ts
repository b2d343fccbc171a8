import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
// Loads all word groups before the first name is read.
import '../../../extract/extract-page.ts'
import { chooseEverything } from '../../../extract/content/content-choice.ts'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import { LinkResolver } from '../../../extract/html/link-resolver.ts'
import { writeMarkdown } from '../../../extract/markdown/markdown-writer.ts'

function markdown(html: string): string {
  const tree = parseHtml(html)
  return writeMarkdown(tree, chooseEverything(tree, { hidden: false }), new LinkResolver('https://a.example/dir/page'))
}

describe('writeMarkdown', () => {
  it.each([
    ['headings with their level', '<h1>a</h1><h3>b <em>c</em></h3>', '# a\n\n### b c'],
    ['paragraphs with white space collapsed', '<p> a\n  b </p><p>c</p>', 'a b\n\nc'],
    ['line breaks, and two in a row as a new paragraph', '<p>a<br>b<br><br>c', 'a  \nb\n\nc'],
    ['emphasis without spaces at its ends', '<p>a<b> b </b>c <i>d</i> <del>e</del>', 'a **b** c *d* ~~e~~'],
    ['adjacent emphasis of one kind as one', '<b>a</b><b>b</b>', '**ab**'],
    ['absolute links', '<a href="../x?q=1#f">x</a>', '[x](https://a.example/x?q=1#f)'],
    [
      'only the text of links that are not http(s) or have no URL',
      '<a href="javascript:x()">a</a> <a href="#t">b</a> <a>c</a>',
      'a b c',
    ],
    ['encoded link targets', '<a href="/a(b)c d">x</a>', '[x](https://a.example/a%28b%29c%20d)'],
    [
      'a link around blocks as a link in each block',
      '<a href="/x"><h2>a</h2><p>b</p></a>',
      '## [a](https://a.example/x)\n\n[b](https://a.example/x)',
    ],
    [
      'images with their alternative text',
      '<img src="i.png" alt="a [b]">',
      '![a \\[b\\]](https://a.example/dir/i.png)',
    ],
    [
      'the URL of an image that loads late',
      '<img src="data:image/gif;base64,R0" data-src="/i.png" alt=a>',
      '![a](https://a.example/i.png)',
    ],
    ['no tracking pixels', '<p>a<img src="/i.gif" width="1" height="1">', 'a'],
    ['a space between adjacent labels', '<div><label>C</label><label>C++</label></div>', 'C C++'],
    ['a space between adjacent custom elements', '<a-b>Harbor</a-b><c-d>First <e-f>x</e-f>y</c-d>', 'Harbor First xy'],
    [
      'text that a style strikes out',
      '<p>Was <span style="text-decoration: line-through">50</span>40 <u style="text-decoration:underline">now</u>',
      'Was ~~50~~40 now',
    ],
    [
      'a space between boxes that styles make, but not between boxes of one letter',
      '<div style="display: flex"><span>Depth</span><span>12 m</span></div><p><b style="display:inline-block">A</b><b style="display:inline-block">b</b> <i style="display:inline-block">Hull</i><u style="display:inline-block">York</u>',
      'Depth 12 m\n\n**Ab** *Hull* York',
    ],
    ['nested lists', '<ul><li>a<ol><li>b<li>c</ol><li>d</ul>', '- a\n  1. b\n  2. c\n- d'],
    ['ordered lists with their first number', '<ol start=3><li>a<li>b</ol>', '3. a\n4. b'],
    ['all paragraphs of a list item in it', '<ul><li><p>a</p><p>b</p></ul>', '- a\n\n  b'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    [
      'fenced code with its language and white space',
      '<pre><code class="language-js">if (a) {\n  b()\n}\n</code></pre>',
      '```js\nif (a) {\n  b()\n}\n```',
    ],
    ['a fence that is longer than the backticks in the code', '<pre>```\nx</pre>', '````\n```\nx\n````'],
    [
      'code without line numbers',
      '<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>b</pre>',
      '```\na\nb\n```',
    ],
    ['code in text', '<p>a <code>b`c</code>', 'a ``b`c``'],
    ['data tables', '<table><tr><th>a<th>b<tr><td>c|d<td>e</table>', '| a | b |\n| --- | --- |\n| c\\|d | e |'],
    [
      'cells that span columns',
      '<table><tr><td colspan=2>a<tr><td>b<td>c<tr><td>d<td>e</table>',
      '| a |  |\n| --- | --- |\n| b | c |\n| d | e |',
    ],
    [
      'cells under their columns, also below cells that span rows',
      '<table><tr><th>a<th>b<th>c<tr><td rowspan=2>d<td>e<td>f<tr><td>g<td>h</table>',
      '| a | b | c |\n| --- | --- | --- |\n| d | e | f |\n|  | g | h |',
    ],
    [
      'cells that span the rest of their group of rows',
      '<table><tbody><tr><td rowspan=0>a<td>b<tr><td>c</tbody><tbody><tr><td>d<td colspan=0>e</table>',
      '| a | b |\n| --- | --- |\n|  | c |\n| d | e |',
    ],
    [
      'cells that span more columns and rows than there are',
      '<table><tr><td>a<td rowspan=99999999>b<tr><td>c<td colspan=99999999>d<tr><td>e</table>',
      '| a | b |  |\n| --- | --- | --- |\n| c |  | d |\n| e |  |  |',
    ],
    [
      'lists and paragraphs in the cells of a table with a head',
      '<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td><p>e</p><p>f</p></table>',
      '| a | b |\n| --- | --- |\n| c d | e f |',
    ],
    [
      'rows and cells by their roles',
      '<span role=row><span role=cell>a</span><span role=cell>b</span></span><span role=row><span role=cell>c</span></span>',
      'a\n\nb\n\nc',
    ],
    [
      'the words of drawings, and not the names of icons',
      '<p>a<svg><title>b</title><path d=M0 /></svg></p><svg><title>c</title><g><text>d</text><text>e<tspan>f</tspan></text><foreignObject><div>g</div></foreignObject></g></svg>',
      'a\n\nd\n\nef\n\ng',
    ],
    [
      'the caption before its table',
      '<table><caption>C</caption><tr><td>a<td>b<tr><td>c<td>d</table>',
      'C\n\n| a | b |\n| --- | --- |\n| c | d |',
    ],
    [
      'the caption of a figure before its table',
      '<figure><table><tr><td>a<td>b<tr><td>c<td>d</table><figcaption>C <b>1</b></figcaption></figure>e',
      'C **1**\n\n| a | b |\n| --- | --- |\n| c | d |\n\ne',
    ],
    ['exponents and indexes', '<p>10<sup>6</sup> H<sub>2</sub>O <code>2<sup>n</sup></code>', '10⁶ H₂O `2ⁿ`'],
    ['an exponent of an exponent', '<p>2<sup>2<sup>n</sup></sup>', '2^{2^{n}}'],
    ['fractions', '<p>1<sup>1</sup>/<sub>2</sub> <sup>3</sup>⁄<sub>4</sub>', '1 1/2 3/4'],
    [
      'marks of notes in brackets',
      '<p>in 2019<sup><a href="/n">3</a></sup>, word<sup>1</sup><sup>,</sup><sup>2</sup>, a<sup class=reference>[4]</sup>',
      'in 2019\\[[3](https://a.example/n)\\], word\\[1\\],\\[2\\], a\\[4\\]',
    ],
    ['other raised text apart from words', '<p>Now<sup>new</sup>and', 'Now new and'],
    ['text that a style raises', '<p>10<span style="vertical-align: super">6</span>', '10⁶'],
    [
      'ruby without its readings, which follow the block',
      '<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>は<ruby>大<rt>おお<rt>.</ruby>きい<p>a',
      '東京は大きい (東京 とうきょう; 大 おお)\n\na',
    ],
    [
      'ruby with bases and two readings',
      '<ruby><rb>旧<rb>金<rt>jiù<rt>jīn<rtc><rt>Old Gold</rtc></ruby>a',
      '旧金a (旧金 jiù jīn Old Gold)',
    ],
    ['quotation marks of the language', '<p><q>a <q>b</q></q> <i lang=de><q>c</q></i> "<q>d</q>"', '“a ‘b’” *„c“* "d"'],
    [
      'a list directly in a list in the item before',
      '<ul><li>a<ul></ul></li><ul><li>b</ul><li>c</ul>',
      '- a\n  - b\n- c',
    ],
    ['values of items, with another delimiter where they jump', '<ol><li>a<li value=5>b<li>c</ol>', '1. a\n5) b\n6) c'],
    ['reversed lists', '<ol reversed><li>a<li>b</ol>', '2. a\n1) b'],
    ['lists from zero, and below', '<ol start=0><li>a</ol><p>x<ol start=-1><li>b</ol>', '0. a\n\nx\n\n- −1. b'],
    [
      'letters and Roman numbers of items',
      '<ol type=a start=27><li>a</ol><p>x<ol type=I start=4><li>b</ol>',
      '- aa. a\n\nx\n\n- IV. b',
    ],
    [
      'tasks',
      '<ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label></ul>',
      '- [x] a\n- [ ] b',
    ],
    [
      'tasks in paragraphs and boxes that a script draws',
      '<ul><li><p><input type=checkbox checked> a</p><p>b</p><li><span role=checkbox aria-checked=false></span> c</ul>',
      '- [x] a\n\n  b\n- [ ] c',
    ],
    ['letters of items in paragraphs', '<ol type=a><li><p>a</p></ol>', '- a. a'],
    ['a task without text', '<ul><li><input type=checkbox checked><ul><li>a</ul></ul>', '- [x]\n  - a'],
    [
      'check boxes in tables, but not those that select a row',
      '<table><tr><th>a<th>b<tr><td>c<td><input type=checkbox checked disabled><tr><td>d<td><input type=checkbox disabled>' +
        '<tr><td><input type=checkbox><td>e</table>',
      '| a | b |\n| --- | --- |\n| c | [x] |\n| d | [ ] |\n|  | e |',
    ],
    ['lines that a style shows', '<div style="white-space: pre-line">a\nb\n\nc</div>', 'a  \nb\n\nc'],
    [
      'TeX between delimiters',
      '<p>\\(x_1\\) or $a_i$, $5 and $6, \\( and \\)',
      '$x_1$ or $a_i$, $5 and $6, \\\\( and \\\\)',
    ],
    [
      'code of Doxygen, with its comments and without numbers',
      '<div class=fragment><div class=line><a id=l1></a><span class=lineno>    1</span><span class=comment>// a</span></div>\n' +
        '<div class=foldopen><div class=line><span class=lineno><a class=line href=x>   2</a></span>  b();</div>\n</div></div>',
      '```\n// a\n  b();\n```',
    ],
    ['other fragments as their text', '<div class=fragment><p>a</p></div>', 'a'],
    [
      'code of GitLab without its column of numbers',
      '<div><div class=line-numbers><a data-line-number=1>\n1\n</a><a data-line-number=2>\n2\n</a></div>' +
        '<div class=blob-content><pre><code><span class=line>a</span>\n<span class=line>b</span></code></pre></div></div>',
      '```\na\nb\n```',
    ],
    [
      'code of gitweb without numbers',
      '<div class=page_body>\n<div class=pre><a class=linenr> 1</a> a</div>\n<div class=pre><a class=linenr> 2</a> </div>\n' +
        '<div class=pre><a class=linenr> 3</a>   b</div></div>',
      '```\n a\n \n   b\n```',
    ],
    [
      'code of Gitea and Trac in tables',
      '<table><tr><td data-line-number=1><td class=lines-code><code>a\n</code><tr><td data-line-number=2><td class=lines-code><code> b\n</code></table>' +
        '<table class=code><thead><tr><th>Line<th></thead><tr><th id=L1><a href=#L1>1</a><td>c<tr><th id=L2>2<td>d</table>',
      '```\na\n b\n```\n\n```\nc\nd\n```',
    ],
    ['layout tables as the blocks in them', '<table><tr><td><p>a</p><td><h2>b</h2></table>', 'a\n\n## b'],
    ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
    ['inline text next to blocks as paragraphs', 'a<div>b</div>c', 'a\n\nb\n\nc'],
  ])('writes %s', (_rule, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  it.each([
    ['# not a heading', '\\# not a heading'],
    ['- not an item', '\\- not an item'],
    ['+ not an item', '\\+ not an item'],
    ['1. not an item', '1\\. not an item'],
    ['12) not an item', '12\\) not an item'],
    ['&gt; not a quote', '\\> not a quote'],
    ['--- ', '\\---'],
    ['===', '\\==='],
    ['~~~ no fence', '\\~\\~\\~ no fence'],
    ['```no fence', '\\`\\`\\`no fence'],
    ['| a | b |', '\\| a | b |'],
    ['*a* _b_ snake_case', '\\*a\\* \\_b\\_ snake_case'],
    ['[a](http://b)', '\\[a\\](http://b)'],
    ['![a](http://b)', '!\\[a\\](http://b)'],
    ['&lt;script&gt; a &lt; b', '\\<script> a < b'],
    ['&amp;lt; a &amp; b', '\\&lt; a & b'],
    ['back\\slash', 'back\\\\slash'],
  ])('escapes %j', (text, expected) => {
    expect(markdown(`<p>${text}`)).toBe(expected)
    expect(markdown(`<p>x<br>${text}`)).toBe(`x  \n${expected}`)
  })

  it('does not let text start a heading, list, quote, fence or table', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'#-+*>=~`|:1.) \n\\_[]()!<a'), maxLength: 40 }), text => {
        const safe = text.replaceAll('<', '&lt;')
        const lines = markdown(`<p>${safe}</p>`).split('\n')
        for (const line of lines)
          expect(line).not.toMatch(
            /^\s{0,3}(?:#{1,6}(?:\s|$)|[-+*](?:\s|$)|\d+[.)](?:\s|$)|>|={1,}\s*$|-{2,}|~{3}|`{3}|\|)/,
          )
      }),
      { numRuns: 500 },
    )
  })

  it('indents at most twelve nested containers', () => {
    const deep = markdown(`${'<ul><li>'.repeat(300)}x`)
    expect(deep.length).toBeLessThan(100)
    expect(deep).toContain('x')
  })

  it('carries a link that is never closed over to at most three blocks', () => {
    const text = markdown(`<a href=/x>${'<div>a</div>'.repeat(10)}`)
    expect(text.match(/a\.example/g)?.length).toBeLessThanOrEqual(4)
  })
})

describe('code in Markdown', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  it.each([
    ['lines of comments', '<pre><span class="token comment"># a</span>\nb</pre>', '# a\nb'],
    [
      'a line for each span with a line break',
      '<pre><span class=line>a</span>\n<span class=line></span>\n<span class=line>b</span></pre>',
      'a\n\nb',
    ],
    ['a line for each span without one', '<pre><span class=line>a</span><span class=line>b</span></pre>', 'a\nb'],
    [
      'a line for each block',
      '<pre><div class=line>a</div><div class=line></div><div class=line>b</div></pre>',
      'a\n\nb',
    ],
    [
      'a line for each block with a line break',
      '<pre><div class=token-line>a\n</div><div class=token-line>\n</div>b</pre>',
      'a\n\nb',
    ],
    [
      'a line for each span with its break inside',
      '<pre><span class=token-line>a<br></span><span class=token-line>b<br></span></pre>',
      'a\nb',
    ],
    [
      'spans that a style makes blocks',
      '<pre><span style="display:block">a</span><span style="display:block">b</span></pre>',
      'a\nb',
    ],
    [
      'the rows of a table',
      '<table><tr><td class="blob-num" data-line-number=1></td><td class=blob-code>a</td></tr><tr><td class=blob-num>2</td><td class=blob-code>  <b>b</b></td></tr></table>',
      'a\n  b',
    ],
    ['text in code elements with line breaks', '<code>a<br>b</code>', 'a\nb'],
    ['numbers that are the code', '<pre class="line-numbers"><code>42\n17</code></pre>', '42\n17'],
    ['prompts', '<pre><span class=select-none>$ </span>ls</pre>', '$ ls'],
  ])('keeps %s', (_case, html, expected) => {
    expect(markdown(html)).toBe(`\`\`\`\n${expected}\n\`\`\``)
  })

  it.each([
    [
      'a column of Pygments',
      '<table><tr><td class=linenos><div class=linenodiv><pre>1\n2\n</pre></div></td><td class=code><div><pre>a\nb</pre></div></td></tr></table>',
    ],
    [
      'a column of Hugo',
      `<table><tr><td class=lntd><pre><code>${lines(2)
        .map(n => `<span class=lnt>${n}\n</span>`)
        .join('')}</code></pre></td><td class=lntd><pre><code>a\nb</code></pre></td></tr></table>`,
    ],
    [
      'a column of Hexo',
      '<figure class=highlight><table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span><br></pre></td><td class=code><pre><span class=line>a</span><br><span class=line>b</span><br></pre></td></tr></table></figure>',
    ],
    [
      'numbers in lines',
      '<pre><span class=line><span class=ln>1</span>a\n</span><span class=line><span class=ln>2</span>b\n</span></pre>',
    ],
    [
      'numbers that cannot be selected',
      '<pre><span class="select-none w-4">1</span>a\n<span style="user-select: none">2</span>b</pre>',
    ],
    ['numbers of an attribute', '<pre><i data-line-number=1>1</i>a\n<i data-line-number=2>2</i>b</pre>'],
    ['buttons', '<pre><button>Copy</button>a\nb</pre>'],
  ])('leaves out %s', (_case, html) => {
    expect(markdown(html)).toBe('```\na\nb\n```')
  })
})
