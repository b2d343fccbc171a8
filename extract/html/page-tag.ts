import { type ElementKind, kindOf, noKind } from './element-kinds.ts'
import type { HtmlNode } from './html-tree.ts'

/** A tag that occurs in the page being parsed. */
export class PageTag {
  /** Name in lower case. */
  readonly name: string
  readonly kind: ElementKind
  /** The elements with this tag in document order. Empty if HTML does not define the tag. */
  readonly elements: HtmlNode[] = []
  /** Number of open elements with this tag. */
  open = 0
  /**
   * The value of `#changes` in `TreeBuilder` when an end tag matched no open element. Until the stack changes, further
   * such end tags need no search.
   */
  unmatchedAt = -1

  constructor(name: string, kind: ElementKind) {
    this.name = name
    this.kind = kind
  }

  get isKnown(): boolean {
    return this.kind !== noKind
  }
}

/**
 * The tags of one page, by name. A tag that HTML does not define is kept only while such an element is open, so that
 * hostile pages cannot accumulate tags.
 */
export class PageTags extends Map<string, PageTag> {
  /** Returns the tag with a name, which may be in any case. Creates the tag if it is new. */
  getOrAdd(written: string): PageTag {
    return this.get(written) ?? this.#inLowerCase(written.toLowerCase())
  }

  #inLowerCase(name: string): PageTag {
    const met = this.get(name)
    if (met) return met
    const kind = kindOf(name)
    const tag = new PageTag(kind === noKind ? name : kind.tag, kind)
    if (tag.isKnown) this.set(tag.name, tag)
    return tag
  }
}
