import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'

/** Matches classes of line numbers in code listings. */
const gutterClasses =
  /(?:^|[\s_-])(?:line-?numbers?|lineno|linenos|gutter|rouge-gutter|hljs-ln-numbers|blob-num)(?:$|[\s_-])/i

/**
 * Returns the text of a code element as browsers show it: all white space kept, line breaks for `<br>` and blocks.
 * Leaves out line numbers.
 */
export function codeText(tree: HtmlTree, root: HtmlNode, dropped: Uint8Array): string {
  const parts: string[] = []
  let endsLine = true
  const blockEnds: number[] = []
  const newLine = () => {
    if (!endsLine) parts.push('\n')
    endsLine = true
  }
  for (let i = root.index + 1; i < root.end; i++) {
    while (blockEnds.length > 0 && blockEnds[blockEnds.length - 1]! <= i) {
      blockEnds.pop()
      newLine()
    }
    const node = tree.nodes[i]!
    if (node.tag === '') {
      parts.push(node.text)
      endsLine = node.text.endsWith('\n')
    } else if (node.tag === 'br') {
      parts.push('\n')
      endsLine = true
    } else if (dropped[i] || node.kind.isUnseen || isGutter(node)) i = node.end - 1
    else if (node.kind.isBlock && node.tag !== 'td') {
      newLine()
      blockEnds.push(node.end)
    }
  }
  return parts.join('').replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll('\u00a0', ' ')
}

function isGutter(node: HtmlNode): boolean {
  const { class: classes } = node.attributes
  return classes !== undefined && classes.length < 200 && node.tag !== 'pre' && gutterClasses.test(classes)
}

/**
 * Returns the declared language of a code block, from the block, its `<code>` element or its parent; '' if there is
 * none.
 */
export function codeLanguage(tree: HtmlTree, pre: HtmlNode): string {
  const first = tree.nodes[pre.index + 1]
  const candidates = [first?.parent === pre && first.tag === 'code' ? first : undefined, pre, pre.parent]
  for (const node of candidates) {
    if (!node) continue
    const { attributes } = node
    const named = attributes['data-language'] ?? attributes['data-lang'] ?? attributes.language ?? ''
    if (isLanguage(named)) return named.toLowerCase()
    const words = (attributes.class ?? '').slice(0, 500).split(/[\s;]+/)
    for (const [at, written] of words.entries()) {
      const word = written.toLowerCase()
      const next = words[at + 1] ?? ''
      if (word === 'brush:' && isLanguage(next)) return next.toLowerCase()
      const name =
        /^(?:language-|lang-|highlight-source-|highlight-text-|highlight-|sourcecode-|brush:)([\w+#.-]+)$/.exec(
          word,
        )?.[1]
      if (name !== undefined && isLanguage(name)) return name
    }
  }
  return ''
}

function isLanguage(name: string): boolean {
  return (
    /^[A-Za-z][\w+#.-]{0,19}$/.test(name) && !/^(?:none|plain|plaintext|text|default|highlight|wrapper)$/i.test(name)
  )
}
