import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseEverything } from '../../../../core/extract/content/content-choice.ts'
import { parseHtml } from '../../../../core/extract/html/html-parser.ts'
import { LinkResolver } from '../../../../core/extract/html/link-resolver.ts'
import { writeMarkdown } from '../../../../core/extract/markdown/markdown-writer.ts'

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
