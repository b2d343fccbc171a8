import type { QueryTerm } from '../../text/terms/query-terms.ts'
import type { SyntaxNode, WordsNode } from '../webql/parser.ts'

/** The part of a page that words are searched in: title and text, the address, the author's name, or a field with texts. */
export type Searched = 'text' | 'url' | 'author' | `.${string}`

/** Returns the part of a page in which a query looks for words. */
export function searchedBy({ field }: WordsNode): 'text' | 'url' | 'author' {
  return field === 'url' || field === 'author' ? field : 'text'
}

/**
 * The words that a query asks for, by the part of a page that they are searched in. A word inside NOT also excludes its inflections, but not
 * those that the query asks for: so `imports NOT import` finds pages with `imports`.
 */
export class AskedWords {
  readonly #tree: SyntaxNode
  readonly #termsOf: (text: string, searched: Searched) => QueryTerm[]
  readonly #inText: readonly QueryTerm[]
  #terms: Map<Searched, QueryTerm[]> | undefined

  /**
   * @param termsOf - analyzes words. Called only for queries with NOT.
   * @param inText - words that the query asks for in the text, besides those of the tree.
   */
  constructor(
    tree: SyntaxNode,
    termsOf: (text: string, searched: Searched) => QueryTerm[],
    inText: readonly QueryTerm[],
  ) {
    this.#tree = tree
    this.#termsOf = termsOf
    this.#inText = inText
  }

  /** Returns the words that the query asks for in a part of a page. */
  in(searched: Searched): readonly QueryTerm[] {
    if (!this.#terms) {
      this.#terms = new Map([['text', [...this.#inText]]])
      this.#gather(this.#tree, true, this.#terms)
    }
    return this.#terms.get(searched) ?? []
  }

  #gather(node: SyntaxNode, isAsked: boolean, into: Map<Searched, QueryTerm[]>): void {
    const add = (text: string, searched: Searched): void => {
      const terms = into.get(searched)
      if (terms) terms.push(...this.#termsOf(text, searched))
      else into.set(searched, this.#termsOf(text, searched))
    }
    switch (node.kind) {
      case 'and':
      case 'or':
        for (const part of node.parts) this.#gather(part, isAsked, into)
        return
      case 'not':
        this.#gather(node.part, !isAsked, into)
        return
      case 'near':
        this.#gather(node.left, isAsked, into)
        this.#gather(node.right, isAsked, into)
        return
      case 'words':
        if (isAsked) add(node.text, searchedBy(node))
        return
      case 'field':
        if (isAsked && node.condition.kind === 'values')
          for (const { value } of node.condition.values) add(String(value), `.${node.condition.field}`)
        return
      case 'prefix':
      case 'fuzzy':
      case 'range':
        return
      default:
        node satisfies never
    }
  }
}
