import { describe, expect, it } from 'vitest'
import { nameOf, nameWords } from '../../../extract/html/class-evidence.ts'
import { WordGroup } from '../../../extract/html/element-name.ts'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import type { HtmlNode } from '../../../extract/html/html-tree.ts'

function first(html: string): HtmlNode {
  const node = parseHtml(html).nodes[1]
  if (!node) throw new Error('the HTML has no element')
  return node
}

describe('the name of an element', () => {
  it('consists of the words of class and id in lower case, without what follows "has" or "hide"', () => {
    const words = nameWords(first('<div class="relatedPosts main_nav has-sidebar hide-ad" id=Top2>'))
    expect(words).toEqual(['related', 'posts', 'main', 'nav', 'top2'])
  })

  it.each([
    ['<p class="note sr-only">', true],
    ['<p class="note sr-only" id=a>', true],
    ['<p class=note id=sr-only>', false],
    ['<p id=sr-only>', false],
    ['<p class="d-none d-md-block">', false],
    ['<p class=d-none>', true],
    ['<p>', false],
  ])('hides by its class, not by its id: %s', (html, isHiding) => {
    expect(nameOf(first(html)).isHiding).toBe(isHiding)
  })

  it('rejects a word group that is made after the first name was read', () => {
    nameOf(first('<p class=a>'))
    expect(() => new WordGroup('late')).toThrow('before the first name')
  })
})
