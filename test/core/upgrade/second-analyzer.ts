/**
 * A second analyzer, for tests: no release has one yet. It cuts English words after four letters, and stems no other language. It is
 * loaded first with `node --import`, also in worker threads.
 */
import { endingOf, hasFrequentEnding } from '../../../core/text/languages/english-endings.ts'
import { analyzers } from '../../../core/text/terms/analyzers.ts'

analyzers.set(2, {
  mayStem: () => true,
  stemEnglish: word => word.slice(0, 4),
  endingOf,
  hasFrequentEnding,
  stemIn: () => '',
})
