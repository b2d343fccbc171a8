import { nameWords } from './class-evidence.ts'
import { collapse, type HtmlNode, type HtmlTree } from './html-tree.ts'

export interface Formula {
  /** TeX source on one line, without characters that mean markup in Markdown. */
  tex: string
  /** True if the formula is on a line of its own. */
  isDisplay: boolean
}

const MAX_TEX_CHARS = 10_000
const MAX_NODES = 5000

/**
 * Returns the formula in an element: MathML, KaTeX, an image or a MathJax script. Undefined for other elements, and for
 * formulas without TeX source.
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
      const around = node.parent === undefined ? [] : nameWords(node.parent)
      const isDisplay = words.includes('display') || around.includes('display')
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

/** True for a script with the source of a formula, which MathJax renders next to the script. */
export function isMathScript({ tag, attributes }: HtmlNode): boolean {
  return tag === 'script' && attributes.type !== undefined && /^math\/tex/i.test(attributes.type)
}

/** True for an element that MathJax rendered from a script. */
export function isRenderedMath(node: HtmlNode): boolean {
  return /(?:^|\s)MathJax(?:_(?:Preview|Display|SVG|CHTML))*(?:\s|$)/.test(node.attributes.class?.slice(0, 200) ?? '')
}

function annotationOf(tree: HtmlTree, node: HtmlNode): string | undefined {
  const end = Math.min(node.end, node.index + MAX_NODES)
  for (let i = node.index + 1; i < end; i++) {
    const { tag, attributes } = tree.nodes[i]!
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
  return { tex: withoutMarkup(bare), isDisplay }
}

/** Adds spaces, which TeX ignores, so that Markdown finds no tags, links, code or emphasis in a formula. */
function withoutMarkup(tex: string): string {
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
