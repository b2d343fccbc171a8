import { describe, expect, it } from 'vitest'
import { parseHtml } from '../../../extract/html/html-parser.ts'
import { textOf } from '../../../extract/html/html-tree.ts'

const text = (html: string) => {
  const tree = parseHtml(html)
  return textOf(tree, tree.root)
}
const host = (shadow: string, light: string) =>
  `<x-a><template shadowrootmode="open">${shadow}</template>${light}</x-a>`

describe('composed trees', () => {
  it.each([
    [
      'shows the children of a host in their slot',
      host('<p>one</p><slot></slot><p>three</p>', '<div>two</div>'),
      'one two three',
    ],
    [
      'shows named children in the slots of their names',
      host('<slot name=b></slot> <slot name=a></slot>', '<i slot=a>A</i><i slot=b>B</i>'),
      'B A',
    ],
    ['shows the content of a slot that gets no children', host('<slot name=a>own</slot>', ''), 'own'],
    ['does not show children without a slot', host('<p>shadow</p>', 'light'), 'shadow'],
    [
      'shows a host in the slot of another host',
      host('<p>1</p><slot></slot><p>4</p>', host('<p>2</p><slot></slot>', '<p>3</p>')),
      '1 2 3 4',
    ],
    ['shows the document of a frame in its place', 'a<iframe srcdoc="<p>b &amp;amp; c"></iframe><p>d', 'a b & c d'],
    ['shows a frame in a frame', '<iframe srcdoc="a<iframe srcdoc=\'b\'></iframe>"></iframe>', 'a b'],
    ['does not show a frame of one pixel', '<iframe width=1 height=1 srcdoc="x"></iframe>y', 'y'],
  ])('%s', (_case, html, expected) => {
    expect(text(html)).toBe(expected)
  })

  it('has descendants as ranges, and finds elements by tag and attribute', () => {
    const { nodes, byTag, byAttribute } = parseHtml(host('<p role=note>a<slot></slot></p>', '<b hidden>b</b>'))
    for (const [index, node] of nodes.entries()) {
      expect(node.index).toBe(index)
      for (let up = node.parent; up; up = up.parent) expect(up.index < index && node.end <= up.end).toBe(true)
    }
    expect(byTag.get('p')?.elements).toHaveLength(1)
    expect([byAttribute.get('role')?.[0]?.tag, byAttribute.get('hidden')?.[0]?.tag]).toEqual(['p', 'b'])
  })

  it('limits the depth of shadow trees in shadow trees', () => {
    const tree = parseHtml('<x-a><template shadowrootmode=open><i><slot></slot></i></template>'.repeat(2000))
    for (const node of tree.nodes) {
      let depth = 0
      for (let up = node.parent; up; up = up.parent) depth++
      expect(depth).toBeLessThan(520)
    }
  })

  it('has the parts that React streams in the places where they are shown, each once', () => {
    const page =
      '<main>Before <template id="B:0"></template> after</main>' +
      '<div hidden id="S:0">one <template id="B:1"></template></div><div hidden id="S:1">two <template id="B:0"></template></div><div hidden id="S:2">alone</div>'
    expect(text(page)).toBe('Before one two after alone')
    expect(text('<template id="B:0"></template><p hidden id="S:0">one</p><p id="S:0"> two</p>')).toBe('one two')
  })
})
