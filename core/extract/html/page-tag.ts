import { type ElementKind, kindOf, noKind } from './element-kinds.ts'
import type { HtmlNode } from './html-tree.ts'

/** A tag name in the page that is being parsed. */
export class PageTag {
  /** In lower case. */
  readonly name: string
  readonly kind: ElementKind
  /** The elements with the tag in document order, if HTML defines the tag. */
  readonly elements: HtmlNode[] = []
  /** Number of open elements with the tag. */
  open = 0
  /** The number of stack changes at which an end tag was found to match no open element, see `TreeBuilder`. */
  unmatchedAt = -1

  constructor(name: string, kind: ElementKind) {
    this.name = name
    this.kind = kind
  }

  get isKnown(): boolean {
    return this.kind !== noKind
  }
}

/** The tags of one page by name. Tags that HTML does not define are kept only while an element of theirs is open, so that they do not accumulate. */
export class PageTags extends Map<string, PageTag> {
  /** Returns the tag with a name in any case. Creates the tag if the page does not have it yet. */
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
