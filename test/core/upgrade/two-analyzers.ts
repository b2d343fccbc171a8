/**
 * Works on an index in a process that knows two analyzers. Run: `node --import second-analyzer.ts two-analyzers.ts make DIR ANALYZER`,
 * `make-large DIR ANALYZER`, `upgrade DIR ANALYZER` or `tell DIR`. `tell` prints the hashes of answers and of the export, the numbers
 * that receipts name, and the terms and captures of the index.
 */
import { createHash } from 'node:crypto'
import { open, upgrade } from '../../../core/index.ts'
import { COMMIT_CAPTURES } from '../../../core/ingest/commit-queue.ts'
import { indexFolderOf } from '../../../core/repair/index-folder.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { encodeIdentity, newIdentity } from '../../../core/store/identity.ts'
import { identityKey } from '../../../core/store/keys.ts'
import { openWorld } from '../golden/answers.ts'
import { questionAt } from '../golden/questions.ts'
import { endOf, languageOf, randomNumbers, type Scale, sentence, writeWorld } from '../golden/world.ts'

const scale: Scale = { pages: 60, sessions: 6, perSession: 25 }
const QUESTIONS = 200

const [action, dir = '', number] = process.argv.slice(2)

/** Makes an index that has an analyzer from its beginning. */
async function make(analyzer: number, write: () => Promise<void>): Promise<void> {
  await (await open(dir)).close()
  const store = await FolderStore.open(indexFolderOf(dir), { cacheBytes: 2 ** 20 })
  await store.commit([{ type: 'put', key: identityKey, value: encodeIdentity({ ...newIdentity(), analyzer }) }])
  await store.close()
  await write()
}

/** Writes one segment, which has more captures than a step of an upgrade moves. */
async function writeLarge(): Promise<void> {
  const engine = await open(dir, {
    now: () => endOf(scale),
    searchThreads: 0,
    mergePolicy: segments => (segments.length === 2 ? segments.map(({ id }) => id) : []),
  })
  const random = randomNumbers(1)
  for (const length of [COMMIT_CAPTURES, 200]) {
    const pages = Array.from({ length }, (_, page) => ({
      url: `https://large.example/${length}/${page}`,
      text: sentence(languageOf(page), random),
    }))
    await engine.add(pages)
  }
  // Closing waits for the merge.
  await engine.close()
}

async function tell(): Promise<object> {
  const engine = await openWorld(dir, scale)
  const answers = createHash('sha256')
  const receipts = new Set<string>()
  for (let n = 0; n < QUESTIONS; n++) {
    const question = questionAt(n, scale)
    if ('url' in question) {
      answers.update(JSON.stringify((await engine.page(question.url, { queryTime: question.queryTime })) ?? null))
      continue
    }
    const answer = await engine.search(question.query, question.options).catch((error: Error) => error.name)
    if (typeof answer === 'string') continue
    // The number of segments is a matter of merges.
    const { segments: _, format, analyzer, ranking, ...receipt } = answer.receipt
    receipts.add(`${format}.${analyzer}.${ranking}`)
    answers.update(JSON.stringify({ ...answer, receipt }))
  }
  const history = createHash('sha256')
  for (let after: string | undefined; ; ) {
    const part = await engine.export({ cursor: after, maxResults: 1000 })
    history.update(JSON.stringify(part.observations))
    after = part.next
    if (after === undefined) break
  }
  const { captures, urls, terms } = await engine.stats()
  await engine.close()
  const hashes = { answers: answers.digest('hex'), history: history.digest('hex') }
  return { ...hashes, receipts: [...receipts], captures, urls, terms, at: endOf(scale) }
}

if (action === 'make') await make(Number(number), () => writeWorld(dir, scale))
else if (action === 'make-large') await make(Number(number), writeLarge)
else if (action === 'upgrade') console.log(JSON.stringify(await upgrade(dir, { analyzer: Number(number) })))
else console.log(JSON.stringify(await tell()))
