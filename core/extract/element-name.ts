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
}
