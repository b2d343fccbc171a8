import { type ElementKind, kindOf, noKind } from './element-kinds.ts'
import type { HtmlNode } from './html-tree.ts'

/** One tag on one page, while the page is parsed. */
export class PageTag {
  /** Lower-case. */
  readonly name: string
  readonly kind: ElementKind
  /** Those of a tag that HTML knows, in document order. */
  readonly elements: HtmlNode[] = []
  /** Elements that are open. */
  open = 0
  /** State of the stack in which an end tag was found to match nothing in reach; see `TreeBuilder`. */
  unmatchedAt = -1

  constructor(name: string, kind: ElementKind) {
    this.name = name
    this.kind = kind
  }

  get isKnown(): boolean {
    return this.kind !== noKind
  }
}

/** The tags of one page by name: all known ones met, and made-up ones while open, so that these don't pile up. */
export class PageTags extends Map<string, PageTag> {
  /** The tag written so, which need not be on the page yet. */
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
