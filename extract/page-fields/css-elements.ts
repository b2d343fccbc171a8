import { compile, type Options } from 'css-select'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'

/** Maximum length of the text of an element in which `:contains()` looks, UTF-16 units. */
const MAX_TEXT_UNITS = 10_000
/**
 * Maximum number of nodes that all selectors together may visit on one page. A hostile page makes selectors such as `:nth-child()`
 * quadratic. The limit is a number and not a time, so that the same page always has the same fields.
 */
const MAX_VISITS = 10_000_000

/**
 * Checks a CSS selector.
 *
 * @throws Error - the selector is not valid, or has a part that css-select does not support.
 */
export function checkSelector(selector: string): void {
  compile(selector)
}

type Adapter = NonNullable<Options<HtmlNode, HtmlNode>['adapter']>

class TooManyVisits extends Error {}

/** Selects elements of one page by CSS selectors. */
export class CssElements {
  readonly #tree: HtmlTree
  readonly #children = new Map<HtmlNode, HtmlNode[]>()
  #visits = 0

  constructor(tree: HtmlTree) {
    this.#tree = tree
  }

  /** Yields the elements that a selector matches, in document order. Ends early if the selectors visited too many nodes. */
  *matching(selector: string): Generator<HtmlNode> {
    // For `:contains()` the cache of css-select assumes that a parent has the text of its children. This is false for a text that is cut.
    const cacheResults = !/contains/i.test(selector)
    const matches = compile<HtmlNode, HtmlNode>(selector, { adapter: this.#adapter, cacheResults })
    for (const node of this.#tree.nodes) {
      let isMatch = false
      try {
        isMatch = matches(node)
      } catch (error) {
        if (error instanceof TooManyVisits) return
        throw error
      }
      if (isMatch) yield node
    }
  }

  /** Lets css-select read a tree whose nodes are in one array. */
  readonly #adapter: Adapter = {
    isTag: (node): node is HtmlNode => node.tag !== '' && node.parent !== undefined,
    getAttributeValue: ({ attributes }, name) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined),
    hasAttrib: ({ attributes }, name) => Object.hasOwn(attributes, name),
    getChildren: node => this.#childrenOf(node),
    getName: element => element.tag,
    getParent: node => {
      this.#visit(1)
      return node.parent ?? null
    },
    getSiblings: node => (node.parent ? this.#childrenOf(node.parent) : [node]),
    getText: node => {
      this.#visit(Math.min(node.end - node.index, MAX_TEXT_UNITS))
      return textOf(this.#tree, node, MAX_TEXT_UNITS)
    },
    // css-select needs it only to select within several elements.
    removeSubsets: nodes => nodes,
  }

  #childrenOf(node: HtmlNode): HtmlNode[] {
    let list = this.#children.get(node)
    if (!list) {
      list = []
      const { nodes } = this.#tree
      for (let i = node.index + 1; i < node.end; i = nodes[i]!.end) list.push(nodes[i]!)
      this.#children.set(node, list)
    }
    this.#visit(list.length)
    return list
  }

  #visit(nodes: number): void {
    this.#visits += nodes
    if (this.#visits > MAX_VISITS) throw new TooManyVisits()
  }
}
