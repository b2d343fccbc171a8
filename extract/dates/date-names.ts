import { WordGroup } from '../html/element-name.ts'

/** Words in classes and ids that mean a date. */
export const dateWords = new WordGroup(
  'date dateline datetime published pubdate publishdate publish posted posttime timestamp time postdate entrydate datum fecha datestamp',
)
