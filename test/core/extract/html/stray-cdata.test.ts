import { describe, expect, it } from 'vitest'
import { parseHtml } from '../../../../core/extract/html/html-parser.ts'
import { textOf } from '../../../../core/extract/html/html-tree.ts'
import { closeStrayCdata } from '../../../../core/extract/html/stray-cdata.ts'

const text = (html: string) => {
  const tree = parseHtml(html)
  return textOf(tree, tree.nodes[0])
}

describe('closeStrayCdata', () => {
  it.each([
    ['ends a section outside SVG and MathML at the next >', '<p>a<![CDATA[ b ><b>c</b>', 'ac'],
    ['does so even where it is closed later', '<p>a<![CDATA[ b ><b>c</b>]]><p>d', 'ac]]> d'],
    ['keeps the text of a section in SVG', '<p>a<math><mi><![CDATA[b>c]]></mi></math>', 'ab>c'],
    ['reads a section after an SVG as outside of it', '<svg></svg><p>a<![CDATA[ b ><b>c</b>', 'ac'],
  ])('%s', (_rule, html, expected) => {
    expect(text(html)).toBe(expected)
  })

  it.each([
    '<script>//<![CDATA[\nlet a = 1\n//]]></script>',
    '<!-- <![CDATA[ -->',
    '<style>/*<![CDATA[*/ p { color: red }</style>',
    '<textarea><![CDATA[</textarea>',
    '<p>no section',
  ])('leaves %s as it is', html => {
    expect(closeStrayCdata(html)).toBe(html)
  })

  it('keeps every position', () => {
    const html = '<p><![CDATA[a<![CDATA[b'
    expect(closeStrayCdata(html)).toHaveLength(html.length)
  })
})
