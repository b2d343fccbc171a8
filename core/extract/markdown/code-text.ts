import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'

/** Class words that name the gutter of a code listing. */
const gutters =
  /(?:^|[\s_-])(?:line-?numbers?|lineno|linenos|gutter|rouge-gutter|hljs-ln-numbers|blob-num)(?:$|[\s_-])/i

/** The characters of a code element as shown: white space kept, `<br>` and blocks on their own lines, no line numbers. */
export function codeText(tree: HtmlTree, root: HtmlNode, dropped: Uint8Array): string {
  const parts: string[] = []
  let endsLine = true
  const blockEnds: number[] = []
  const newLine = () => {
    if (!endsLine) parts.push('\n')
    endsLine = true
  }
  for (let i = root.index + 1; i < root.end; i++) {
    while (blockEnds.length > 0 && blockEnds[blockEnds.length - 1] <= i) {
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
  return classes !== undefined && classes.length < 200 && node.tag !== 'pre' && gutters.test(classes)
}

/** The language that a code block declares, itself or on the `<code>` inside or the box around; empty when none. */
export function codeLanguage(tree: HtmlTree, pre: HtmlNode): string {
  const first = tree.nodes[pre.index + 1]
  const candidates = [first?.parent === pre && first.tag === 'code' ? first : undefined, pre, pre.parent]
  for (const node of candidates) {
    if (!node) continue
    const { attributes } = node
    const named = attributes['data-language'] ?? attributes['data-lang'] ?? attributes.language ?? ''
    if (isLanguage(named)) return named.toLowerCase()
    const words = (attributes.class ?? '').slice(0, 500).split(/[\s;]+/)
    for (let at = 0; at < words.length; at++) {
      const word = words[at].toLowerCase()
      if (word === 'brush:' && isLanguage(words[at + 1] ?? '')) return words[at + 1].toLowerCase()
      const match =
        /^(?:language-|lang-|highlight-source-|highlight-text-|highlight-|sourcecode-|brush:)([\w+#.-]+)$/.exec(word)
      if (match && isLanguage(match[1])) return match[1]
    }
  }
  return ''
}

function isLanguage(name: string): boolean {
  return (
    /^[A-Za-z][\w+#.-]{0,19}$/.test(name) && !/^(?:none|plain|plaintext|text|default|highlight|wrapper)$/i.test(name)
  )
}
