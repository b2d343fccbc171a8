/** What an element's name, role, class and id say about it. */
export type Evidence = 'content' | 'chrome' | 'weak-chrome' | 'comments' | 'none'

/** What the class and id of an element say, worked out once for each pair of them. */
export interface ElementName {
  words: readonly string[]
  evidence: Evidence
  isContentName: boolean
  /** 2 for comments and related stories, 1 for a name that may be one, else 0. */
  sideline: 0 | 1 | 2
  isBreadcrumbs: boolean
  /** Bits of the {@link WordGroup}s that somebody asked for, and of those it has a word of. */
  asked: number
  answers: number
}

const MAX_GROUPS = 32
let groups = 0

/** Words that mean one thing in a name; each name is searched for them once. */
export class WordGroup {
  private readonly words: ReadonlySet<string>
  private readonly bit: number

  constructor(words: string) {
    if (groups === MAX_GROUPS) throw new RangeError(`a name remembers the answers to ${MAX_GROUPS} groups of words`)
    this.words = new Set(words.split(' '))
    this.bit = 1 << groups++
  }

  isIn(name: ElementName): boolean {
    if ((name.asked & this.bit) === 0) {
      name.asked |= this.bit
      if (name.words.some(word => this.words.has(word))) name.answers |= this.bit
    }
    return (name.answers & this.bit) !== 0
  }
}
