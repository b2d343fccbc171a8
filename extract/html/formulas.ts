import { nameWords } from './class-evidence.ts'
import { collapse, type HtmlNode, type HtmlTree } from './html-tree.ts'
import { katexText } from './katex-text.ts'
import { mathText } from './mathml-text.ts'

export interface Formula {
  /**
   * TeX source on one line, without characters that mean markup in Markdown; or a readable text, if the page has no TeX.
   */
  source: string
  isTex: boolean
  /** True if the formula is on a line of its own. */
  isDisplay: boolean
}

const MAX_TEX_CHARS = 10_000
const MAX_NODES = 5000

/**
 * Returns the formula in an element: MathML, the elements of MediaWiki, KaTeX and MathJax, an image or a MathJax script.
 * Undefined for other elements, and for images without TeX source.
 */
export function formulaOf(tree: HtmlTree, node: HtmlNode): Formula | undefined {
  const { attributes } = node
  switch (node.tag) {
    case 'math':
      return mathFormula(tree, node, attributes.display === 'block')
    case 'mjx-container': {
      const math =
        firstIn(tree, node, ({ tag }) => tag === 'math') ??
        firstIn(tree, node, ({ tag }) => tag === 'mjx-math') ??
        // The formula may be a drawing of MathJax, in which each shape has an attribute that names its character.
        firstIn(tree, node, ({ attributes }) => attributes['data-mml-node'] === 'math')
      const isDisplay = attributes.display !== undefined && attributes.display !== 'false'
      const formula = math && mathFormula(tree, math, isDisplay)
      return formula ?? readable(attributes['aria-label'], isDisplay)
    }
    case 'span':
    case 'div': {
      const isMathJax = isRenderedMath(node)
      if (!isMathJax && !/katex|mwe-math-element/.test(attributes.class ?? '')) return undefined
      const words = nameWords(node)
      const isKatex = words.includes('katex')
      if (!isKatex && !isMathJax && !words.includes('mwe')) return undefined
      const around = node.parent === undefined ? [] : nameWords(node.parent)
      const isDisplay = ['display', 'block'].some(word => words.includes(word) || (isKatex && around.includes(word)))
      const math = firstIn(tree, node, ({ tag }) => tag === 'math')
      if (math) return mathFormula(tree, math, isDisplay || math.attributes.display === 'block')
      if (isKatex)
        return words.includes('display') && hasKatex(tree, node)
          ? undefined
          : readable(katexText(tree, node), isDisplay)
      const image = isMathJax ? undefined : tree.nodes.slice(node.index, node.end).find(({ tag }) => tag === 'img')
      return image && texFormula(image.attributes.alt, isDisplay || nameWords(image).includes('display'))
    }
    case 'img': {
      const words = nameWords(node)
      const isFormula = ['tex', 'latex', 'math'].some(word => words.includes(word))
      if (!isFormula && !/^https?:\/\/latex\.codecogs\.com\//.test(attributes.src ?? '')) return undefined
      return texFormula(attributes.alt, words.includes('display'))
    }
    case 'script':
      return texFormula(tree.nodes[node.index + 1]?.text, /mode=display/.test(attributes.type ?? ''))
    default:
      return undefined
  }
}

/** Returns the first of the nodes at the start of an element that passes a test. */
function firstIn(tree: HtmlTree, node: HtmlNode, isWanted: (inner: HtmlNode) => boolean): HtmlNode | undefined {
  const end = Math.min(node.end, node.index + MAX_NODES)
  for (let i = node.index + 1; i < end; i++) if (isWanted(tree.nodes[i]!)) return tree.nodes[i]
  return undefined
}

/** Returns the number of formulas that a page only draws, so that their text is missing. */
export function unreadFormulas(tree: HtmlTree): number {
  return tree.nodes.filter(node => node.tag === 'mjx-container' && formulaOf(tree, node) === undefined).length
}

function mathFormula(tree: HtmlTree, math: HtmlNode, isDisplay: boolean): Formula | undefined {
  const { alttext, 'data-latex': latex } = math.attributes
  return (
    texFormula(alttext ?? annotationOf(tree, math) ?? latex, isDisplay) ?? readable(mathText(tree, math), isDisplay)
  )
}

function readable(text: string | undefined, isDisplay: boolean): Formula | undefined {
  const source = collapse(text ?? '')
  return source === '' ? undefined : { source, isTex: false, isDisplay }
}

/** True for a box around an element of KaTeX, which is the formula. */
function hasKatex(tree: HtmlTree, box: HtmlNode): boolean {
  const first = tree.nodes[box.index + 1]
  return first?.parent === box && first.tag === 'span' && nameWords(first).includes('katex')
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
  const annotation = firstIn(
    tree,
    node,
    ({ tag, attributes }) => tag === 'annotation' && /tex/i.test(attributes.encoding ?? ''),
  )
  return annotation && tree.nodes[annotation.index + 1]?.text
}

/** Returns the formula with a TeX source; undefined if the source is missing, empty or too long. */
export function texFormula(source: string | undefined, isDisplay: boolean): Formula | undefined {
  if (source === undefined || source.length > MAX_TEX_CHARS) return undefined
  const bare = collapse(source)
    .replace(/^\{\\(?:display|text)style (.*)\}$/, '$1')
    .replace(/^\$+|\$+$/g, '')
    .trim()
  return bare === '' ? undefined : { source: withoutMarkup(bare), isTex: true, isDisplay }
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
