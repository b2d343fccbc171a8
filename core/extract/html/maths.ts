import { nameWords } from './class-evidence.ts'
import { collapse, type HtmlNode, type HtmlTree } from './html-tree.ts'

export interface Formula {
  /** On one line, with nothing in it that markdown would take for a mark of its own. */
  tex: string
  /** Stands on a line of its own. */
  isDisplay: boolean
}

const MAX_TEX_CHARS = 10_000
const MAX_NODES = 5000

/**
 * The TeX source of a formula that a page shows as MathML, KaTeX, a picture or a MathJax script; `undefined` when the
 * element is none of them or carries no source.
 */
export function formulaOf(tree: HtmlTree, node: HtmlNode): Formula | undefined {
  switch (node.tag) {
    case 'math':
      return formula(node.attributes.alttext ?? annotationOf(tree, node), node.attributes.display === 'block')
    case 'span':
    case 'div': {
      if (!node.attributes.class?.includes('katex')) return undefined
      const words = nameWords(node)
      if (!words.includes('katex')) return undefined
      const isDisplay = words.includes('display') || nameWords(node.parent!).includes('display')
      return formula(annotationOf(tree, node), isDisplay)
    }
    case 'img': {
      const words = nameWords(node)
      if (!words.includes('tex') && !words.includes('latex') && !words.includes('math')) return undefined
      return formula(node.attributes.alt, words.includes('display'))
    }
    case 'script':
      return formula(tree.nodes[node.index + 1]?.text, /mode=display/.test(node.attributes.type ?? ''))
    default:
      return undefined
  }
}

/** Whether a script is the source of a formula, which MathJax renders in its place. */
export function isMathScript({ tag, attributes }: HtmlNode): boolean {
  return tag === 'script' && attributes.type !== undefined && /^math\/tex/i.test(attributes.type)
}

/** Whether an element is what MathJax rendered from the script beside it. */
export function isRenderedMath(node: HtmlNode): boolean {
  return /(?:^|\s)MathJax(?:_(?:Preview|Display|SVG|CHTML))*(?:\s|$)/.test(node.attributes.class?.slice(0, 200) ?? '')
}

function annotationOf(tree: HtmlTree, node: HtmlNode): string | undefined {
  const end = Math.min(node.end, node.index + MAX_NODES)
  for (let i = node.index + 1; i < end; i++) {
    const { tag, attributes } = tree.nodes[i]
    if (tag === 'annotation' && /tex/i.test(attributes.encoding ?? '')) return tree.nodes[i + 1]?.text
  }
  return undefined
}

function formula(source: string | undefined, isDisplay: boolean): Formula | undefined {
  if (source === undefined || source.length > MAX_TEX_CHARS) return undefined
  const bare = collapse(source)
    .replace(/^\{\\displaystyle (.*)\}$/, '$1')
    .replace(/^\$+|\$+$/g, '')
    .trim()
  if (bare === '') return undefined
  return { tex: harmless(bare), isDisplay }
}

/** White space means nothing to TeX here, but keeps markdown from seeing tags, links, code and emphasis. */
function harmless(tex: string): string {
  return tex
    .replace(/`/g, "'")
    .replace(/\\?\$/g, '')
    .replace(/<(?=\S)/g, '< ')
    .replace(/\](?=[([])/g, '] ')
    .replace(/\s*\*\s*/g, ' * ')
    .replace(/~~+/g, '~')
    .replace(/\\+$/, '')
    .trim()
}
