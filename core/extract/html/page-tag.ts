import { type ElementKind, kindOf, noKind } from './element-kinds.ts'
import type { HtmlNode } from './html-tree.ts'

/** A tag name of the page that is being parsed. */
export class PageTag {
  /** In lower case. */
  readonly name: string
  readonly kind: ElementKind
  /** Its elements in document order, if HTML defines the tag. */
  readonly elements: HtmlNode[] = []
  /** Number of open elements. */
  open = 0
  /** The stack's change count when an end tag was found to match no open element; see `TreeBuilder`. */
  unmatchedAt = -1

  constructor(name: string, kind: ElementKind) {
    this.name = name
    this.kind = kind
  }

  get isKnown(): boolean {
    return this.kind !== noKind
  }
}

/** The tags of one page by name: all that HTML defines, and others only while open, so that they don't pile up. */
export class PageTags extends Map<string, PageTag> {
  /** The tag with this name in any case, made if the page doesn't have it yet. */
  named(written: string): PageTag {
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
