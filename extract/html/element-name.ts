/** What an element's role, class and id say about it. */
export type Evidence = 'content' | 'chrome' | 'weak-chrome' | 'comments' | 'none'

/** What an element's class and id say about it. Elements with equal class and id share one object. */
export interface ElementName {
  /** Class and id as written in the page. */
  written: string
  /** The words in class and id. Undefined until needed. */
  words: readonly string[] | undefined
  /** Bit set of the {@link WordGroup}s that contain one of the words. */
  groups: number
  evidence: Evidence
  isContentName: boolean
  /** 2 for comments, related stories and the like, 1 for an ambiguous name, otherwise 0. */
  boilerplate: 0 | 1 | 2
  /** True if the class is one that hides elements. */
  isHiding: boolean
}

const MAX_GROUPS = 31
const groupsOfWord = new Map<string, number>()
let groups = 0
let isInUse = false

/** Returns the bit set of the groups that contain a word. After the first call no group may be created. */
export function groupsOf(word: string): number {
  isInUse = true
  return groupsOfWord.get(word) ?? 0
}

/**
 * A set of words to find in classes and ids. All groups look at a name together, in one pass. So each group must be
 * created at the top level of a module, before the first name is read.
 */
export class WordGroup {
  readonly #bit: number

  constructor(words: string) {
    if (groups === MAX_GROUPS) throw new RangeError(`there can be at most ${MAX_GROUPS} word groups`)
    if (isInUse) throw new Error('a word group must be made before the first name is read')
    this.#bit = 1 << groups++
    for (const word of words.split(' ')) groupsOfWord.set(word, (groupsOfWord.get(word) ?? 0) | this.#bit)
  }

  /** True if a name contains one of the words. */
  isIn({ groups }: Pick<ElementName, 'groups'>): boolean {
    return (groups & this.#bit) !== 0
  }
}
