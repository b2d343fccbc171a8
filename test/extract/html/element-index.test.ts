import { describe, expect, it } from 'vitest'
import { findByAttribute, findByTag, mainElements } from '../../../extract/html/element-index.ts'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import type { HtmlNode } from '../../../extract/html/html-tree.ts'

const indices = (list: readonly HtmlNode[]) => list.map(({ index }) => index)

describe('the index of a tree', () => {
  it('finds elements by tag and by indexed attribute, in any case, in document order', () => {
    const tree = parseHtml('<p Role=a><my-tag ID=c><P></p><b role=d onclick=e></b></my-tag><p>')
    expect(indices(findByTag(tree, 'p'))).toEqual([1, 3, 5])
    expect(indices(findByTag(tree, 'b', 'p'))).toEqual([1, 3, 4, 5])
    expect(indices(findByAttribute(tree, 'role', 'itemprop'))).toEqual([1, 4])
    expect(findByTag(tree, 'time')).toEqual([])
  })

  it('finds the body by the attributes that a second start tag adds, once and in document order', () => {
    const tree = parseHtml('<i itemprop=a></i><body role=b><p itemprop=c><body role=d itemprop=e><body itemprop=f>')
    expect(findByAttribute(tree, 'itemprop').map(({ attributes }) => attributes.itemprop)).toEqual(['a', 'e', 'c'])
    expect(findByAttribute(tree, 'role').map(({ attributes }) => attributes.role)).toEqual(['b'])
  })

  it('finds the main content by tag or role, each element once', () => {
    const tree = parseHtml('<div role=main></div><main role=main></main><div role=search></div><main></main>')
    expect(indices(mainElements(tree))).toEqual([1, 2, 4])
  })
})
