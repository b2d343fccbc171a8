import { describe, expect, it } from 'vitest'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import { type HtmlTree, textOf } from '../../../extract/html/html-tree.ts'

/** The tree as nested tags and trimmed texts. */
function shape(tree: HtmlTree): string {
  const parts: string[] = []
  const open: { tag: string; end: number }[] = []
  for (const node of tree.nodes.slice(1)) {
    while (open.length > 0 && open[open.length - 1]!.end <= node.index) parts.push(`</${open.pop()!.tag}>`)
    if (node.tag === '') parts.push(node.text.trim())
    else {
      parts.push(`<${node.tag}>`)
      open.push(node)
    }
  }
  while (open.length > 0) parts.push(`</${open.pop()!.tag}>`)
  return parts.join('').replaceAll(/<\/(?:br|img|hr|meta)>/g, '')
}

describe('parseHtml', () => {
  it.each([
    ['ends a paragraph where a block starts', '<p>a<div>b</div>', '<p>a</p><div>b</div>'],
    [
      'ends a list item at the next one, with all elements that are open in it',
      '<ul><li><b>a<li>b</ul>',
      '<ul><li><b>a</b></li><li>b</li></ul>',
    ],
    [
      'keeps a nested list in its item',
      '<ul><li>a<ul><li>b</ul><li>c</ul>',
      '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>',
    ],
    [
      'ends cells and rows without end tags',
      '<table><tr><td>a<td>b<tr><td>c</table>',
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>',
    ],
    [
      'does not let an end tag in a cell close an element around the table',
      '<div><table><tr><td>a</div>b</table>c</div>',
      '<div><table><tr><td>ab</td></tr></table>c</div>',
    ],
    ['does not let the end tag of an inline element close a block', '<b><div>a</b>b</div>', '<b><div>ab</div></b>'],
    ['ignores end tags without start tags', 'a</i></section>b', 'ab'],
    ['ends the head where the content starts', '<head><title>t</title><p>a', '<head><title>t</title></head><p>a</p>'],
    ['ends a link where the next one starts', '<p><a>a<a>b</p>', '<p><a>a</a><a>b</a></p>'],
    [
      'ends terms and definitions at the next one',
      '<dl><dt>a<dd>b<dt>c</dl>',
      '<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>',
    ],
    ['reads script and style as text', '<script>if (a<b) "<p>"</script>x', '<script>if (a<b) "<p>"</script>x'],
    ['decodes entities', '<p>&amp;&eacute;&#65;&nosuch;', '<p>&éA&nosuch;</p>'],
    ['decodes entities in titles and text areas', '<textarea>&lt;b></textarea>', '<textarea><b></textarea>'],
    [
      'decodes no entities in scripts and styles, except for those of SVG',
      '<style>a&gt;b</style><svg><style>a&gt;b</style></svg>',
      '<style>a&gt;b</style><svg><style>a>b</style></svg>',
    ],
  ])('%s', (_rule, html, expected) => {
    expect(shape(parseHtml(html))).toBe(expected)
  })

  it('makes elements beyond 512 levels siblings in document order, and closes levels correctly', () => {
    const tree = parseHtml(`${'<div>'.repeat(2000)}<h1>T</h1><p>one</p><p>two</p>${'</div>'.repeat(2000)}<p>after`)
    const depthOf = (index: number) => {
      let depth = 0
      for (let up = tree.nodes[index]?.parent; up; up = up.parent) depth++
      return depth
    }
    expect(Math.max(...tree.nodes.map(node => depthOf(node.index)))).toBeLessThanOrEqual(512)
    expect(tree.nodes.filter(node => node.tag === 'p').map(node => textOf(tree, node))).toEqual(['one', 'two', 'after'])
  })

  it('stops at 500,000 nodes and reports it', () => {
    const tree = parseHtml('<br>'.repeat(600_000))
    expect(tree.nodes.length).toBeLessThanOrEqual(500_001)
    expect(tree.truncated).toBe(true)
  })

  it('decodes entities in attributes, but not a URL parameter that looks like one', () => {
    const link = parseHtml('<a href="?a=1&copy=2&amp;b=&#51" title="&copy 2">').nodes[1]
    expect(link?.attributes).toEqual({ href: '?a=1&copy=2&b=3', title: '© 2' })
  })

  it('keeps 16 Ki characters of an attribute, and the first 256 attributes of an element', () => {
    const many = Array.from({ length: 300 }, (_, i) => `a${i}=1`).join(' ')
    const tree = parseHtml(`<p class="${'x'.repeat(100_000)}">a<p ${many} id=late>b`)
    const [first, second] = tree.nodes.filter(node => node.tag === 'p')
    expect(first?.attributes.class?.length).toBe(16_384)
    expect(second?.attributes).toEqual({})
  })
})
