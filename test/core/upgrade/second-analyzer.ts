/**
 * A second analyzer, for tests: no release has one yet. It cuts English words after four letters, and stems no other language. It is
 * loaded first with `node --import`, also in worker threads.
 */

import { analyzers } from '../../../core/text/languages/analyzers.ts'
import { endingOf, hasFrequentEnding } from '../../../core/text/languages/english-endings.ts'
import { english } from '../../../core/text/languages/table/english.ts'
import { LanguageTable } from '../../../core/text/languages/table/language-table.ts'

analyzers.set(2, {
  mayStem: () => true,
  stemEnglish: word => word.slice(0, 4),
  endingOf,
  hasFrequentEnding,
  languages: new LanguageTable([english]),
})
