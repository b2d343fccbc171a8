import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { processorMs } from '../../processor-time.ts'

const linksOf = (markdown: string, url = 'https://a.example/dir/x.md') =>
  extractPage(markdown, { url, contentType: 'text/plain' }).links.map(link => link.url.replace('https://a.example', ''))

describe('the links of Markdown', () => {
  it.each([
    ['inline', '[t](b "title") and [u](</c d> )', ['/dir/b', '/c%20d']],
    ['inline with brackets in the target', '[t](/wiki/A_(b))', ['/wiki/A_(b)']],
    ['inline around an image', '[![logo](i.png)](/home)', ['/home']],
    ['by reference', '[text][Ref One] [ref  one][] [ref one]\n\n[ref one]: <b> "title"', ['/dir/b']],
    ['with brackets in the text', '[a [b] c](/d) [[e](/f)] [g [h]][r]\n\n[r]: /i', ['/d', '/f', '/i']],
    ['over the end of a line', '[a\nb](/c) and [d\ne][r f]\n\n[r f]: /g', ['/c', '/g']],
    ['by reference to a definition of two lines', '[a][b]\n\n[b]:\n  /c\n', ['/c']],
    ['in footnotes', 'Text[^1]\n\n[^1]: See [a](/b) or https://a.example/c.', ['/b', '/c']],
    ['with references to characters', '[a](/b?c=1&amp;d=2)', ['/b?c=1&d=2']],
    ['by shortcut', 'See [docs].\n\n[docs]: /docs', ['/docs']],
    ['autolinks', '<https://a.example/x> <me@a.example>', ['/x']],
    ['of HTML', '<p><a class="b" href="/c">d</a> <A HREF=\'/e\'>', ['/c', '/e']],
    ['bare URLs', 'At https://a.example/x. And (https://a.example/y), **https://a.example/z**', ['/x', '/y', '/z']],
    ['in lists', '- a\n\n    [t](/deep)\n- [u](/u)', ['/deep', '/u']],
  ])('are found %s', (_, markdown, urls) => {
    expect(linksOf(markdown)).toEqual(urls)
  })
  it('are not taken from code, images and text in brackets', () => {
    const code = '```\n[a](/a)\n```\n\n`[b](/b)` ``https://a.example/c``\n\n    [d](/d)\n\n![e](/e) [f] [g][h]\n[i](#i)'
    expect(linksOf(code)).toEqual([])
  })
  it('are found in llms.txt', () => {
    expect(linksOf('# Site\n\n- [Guide](/guide.md): text', 'https://a.example/llms.txt')).toEqual(['/guide.md'])
  })
  it('are found in linear time', () => {
    for (const part of ['[', '](', '[a](', '<a ', 'https://', '`', '[a][', '[![']) {
      const source = `${part.repeat(100_000 / part.length)}\n`.repeat(5)
      expect(
        processorMs(() => linksOf(source)),
        part,
      ).toBeLessThan(20_000)
    }
  })
})
