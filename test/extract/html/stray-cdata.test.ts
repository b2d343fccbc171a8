import { describe, expect, it } from 'vitest'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import { textOf } from '../../../extract/html/html-tree.ts'
import { closeStrayCdata } from '../../../extract/html/stray-cdata.ts'

const text = (html: string) => {
  const tree = parseHtml(html)
  return textOf(tree, tree.root)
}

describe('closeStrayCdata', () => {
  it.each([
    ['ends a section outside of SVG and MathML at the next >', '<p>a<![CDATA[ b ><b>c</b>', 'ac'],
    ['ends it there even if ]]> follows', '<p>a<![CDATA[ b ><b>c</b>]]><p>d', 'ac]]> d'],
    ['keeps the text of a section in MathML', '<p>a<math><mi><![CDATA[b>c]]></mi></math>', 'ab>c'],
    ['ends a section after an SVG at the next >', '<svg></svg><p>a<![CDATA[ b ><b>c</b>', 'ac'],
  ])('%s', (_rule, html, expected) => {
    expect(text(html)).toBe(expected)
  })

  it.each([
    '<script>//<![CDATA[\nlet a = 1\n//]]></script>',
    '<!-- <![CDATA[ -->',
    '<style>/*<![CDATA[*/ p { color: red }</style>',
    '<textarea><![CDATA[</textarea>',
    '<p>no section',
  ])('does not change %s', html => {
    expect(closeStrayCdata(html)).toBe(html)
  })

  it('does not change positions', () => {
    const html = '<p><![CDATA[a<![CDATA[b'
    expect(closeStrayCdata(html)).toHaveLength(html.length)
  })
})
