import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const story = `<p>${'The harbor of the town was rebuilt in three stages, each longer than planned. '.repeat(4)}</p>`
const content = (html: string) =>
  extractPage(`<main><article><h1>T</h1>${story}${html}${story}</article></main>`, {
    url: 'https://a.example/x',
    contentType: 'text/html',
  }).markdown

describe('rules in code', () => {
  it.each([
    [
      'a line that is only a comment',
      '<pre><code><span class=line><span class="hljs-comment">// XX</span></span>\nrun()</code></pre>',
    ],
    ['a token named like navigation', '<pre><span class="token menu">XX</span>\nrun()</pre>'],
    ['a token named like hidden text', '<pre><span class=d-none>XX</span> <span class=sr-only>run()</span></pre>'],
    [
      'a label of asides',
      '<pre><div class=line>XX</div><div class=line>share</div><div class=line>related</div></pre>',
    ],
    [
      'lines that repeat',
      '<pre><div>print("the same line as before, XX")</div><div>print("the same line as before, XX")</div></pre>',
    ],
    ['code that links to its symbols', '<div class=source><pre><a href=#a>XX</a>.<a href=#b>run</a></pre></div>'],
    [
      'code in a box named like a toolbar',
      '<div class="code-toolbar"><pre>XX\nrun()</pre><div class=toolbar>Copy</div></div>',
    ],
    ['code in a box named like comments', '<div class="comment"><pre>XX run() and then some more of it</pre></div>'],
    [
      'code that screen readers skip',
      '<div class=editor><textarea>YY</textarea><pre aria-hidden=true>XX run()</pre></div>',
    ],
    [
      'code that begins with the author',
      '<meta name=author content="Ada Lovelace"><pre><div>Ada Lovelace XX</div></pre>',
    ],
  ])('keep %s', (_code, html) => {
    const markdown = content(html)
    expect(markdown).toContain('XX')
    expect(markdown).not.toContain('YY')
    if (html.includes('run')) expect(markdown).toContain('run')
    if (html.includes('share')) expect(markdown).toMatch(/share\nrelated/)
    if (html.includes('same line')) expect(markdown.split('same line')).toHaveLength(3)
  })

  it.each([
    ['buttons', '<pre><button>YY</button>XX</pre>'],
    ['what is not shown', '<pre>XX<span style="display:none">YY</span><span hidden>YY</span></pre>'],
    ['line numbers that screen readers skip', '<pre><span aria-hidden=true>77</span>XX</pre>'],
  ])('still drop %s', (_part, html) => {
    expect(content(html)).toContain('XX')
    expect(content(html)).not.toMatch(/YY|77/)
  })
})
