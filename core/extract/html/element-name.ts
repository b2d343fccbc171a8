/** What an element's name, role, class and id say about it. */
export type Evidence = 'content' | 'chrome' | 'weak-chrome' | 'comments' | 'none'

/** What the class and id of an element say, worked out once for each pair of them. */
export interface ElementName {
  /** Class and id as written. */
  written: string
  /** The words in them, once somebody asked. */
  words: readonly string[] | undefined
  /** Bits of the {@link WordGroup}s that it has a word of. */
  groups: number
  evidence: Evidence
  isContentName: boolean
  /** 2 for comments and related stories, 1 for a name that may be one, else 0. */
  boilerplate: 0 | 1 | 2
  /** The class is one that sites hide elements with. */
  isHiding: boolean
}

const MAX_GROUPS = 31
const groupsOfWord = new Map<string, number>()
let groups = 0
let isAsked = false

/** The bits of the groups that a word belongs to. From the first call on there are no new groups. */
export function groupsOf(word: string): number {
  isAsked = true
  return groupsOfWord.get(word) ?? 0
}

/** Words that mean one thing in a name; each name is searched for those of all groups at once. */
export class WordGroup {
  readonly #bit: number

  constructor(words: string) {
    if (groups === MAX_GROUPS) throw new RangeError(`a name tells words of ${MAX_GROUPS} groups`)
    if (isAsked) throw new Error('a group of words must be there before the first name is read')
    this.#bit = 1 << groups++
    for (const word of words.split(' ')) groupsOfWord.set(word, (groupsOfWord.get(word) ?? 0) | this.#bit)
  }

  isIn({ groups }: Pick<ElementName, 'groups'>): boolean {
    return (groups & this.#bit) !== 0
  }
}
