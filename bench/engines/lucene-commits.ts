import { pageLine } from '../apparatus/page-file.ts'
import type { CommitEngine } from './commit-index.ts'
import type { Answers } from './engine-process.ts'
import { compileLucene } from './lucene-program.ts'
import { cellsOf, LineProgram } from './program-process.ts'

/** How Commits.java keeps what an index was at each commit, see there. */
const ways = {
  kept: 'every commit kept',
  expunged: 'every commit kept, forceMergeDeletes before each',
  counted: 'every commit kept, statistics of live documents counted for each question',
  dated: 'two dates a document, statistics of documents valid at T counted for each question',
}

/** Returns Lucene as an index that can be searched as of each commit, in each way; undefined if the JDK or Maven is missing. */
export function luceneCommits(): CommitEngine[] | undefined {
  const program = compileLucene('Commits')
  if (!program) return undefined
  return Object.entries(ways).map(([way, about]) => ({
    name: `Lucene, ${about}`,
    settings: `Lucene with commits (${program.version}): as Lucene, with LogByteSizeMergePolicy in the indexing thread, and one commit an instant; NoDeletionPolicy, so that a search can open the commit, which stays open while the instant stays; with dates, one index with the ends as updated doc values`,
    async open(folder) {
      const process = new LineProgram('lucene', program)
      await process.request([['begin', folder, way]])
      return {
        async commit({ instant, added, ended }) {
          const lines = [['commit', instant, ended.join(','), added.length], ...added.map(page => [pageLine(page)])]
          return (await process.request<{ ms: number }>(lines)).ms
        },
        async ask(questions, instant) {
          const lines = [['ask', instant, questions.length], ...questions.map(cellsOf)]
          const { found, wallNs } = await process.request<Answers>(lines)
          return { found: found.map(numbers => numbers.map(Number)), ms: wallNs.map(ns => ns / 1e6) }
        },
        close: () => process.stop(),
      }
    },
  }))
}
