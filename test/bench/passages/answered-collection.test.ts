import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAnswered } from '../../../bench/passages/answered-collection.ts'
import { measureCollection } from '../../../bench/passages/passages.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-answered-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** Writes a collection in the layout of BEIR. */
async function collectionOf(name: string, documents: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(dir, 'c-'))
  const path = join(folder, name)
  await mkdir(path)
  const lines = Object.entries(documents).map(([_id, text]) => JSON.stringify({ _id, title: '', text }))
  await writeFile(join(path, 'corpus.jsonl'), lines.join('\n'))
  await writeFile(join(path, 'queries.jsonl'), JSON.stringify({ _id: 'q', text: 'when was the bridge built' }))
  await writeFile(join(path, 'qrels.tsv'), `query-id\tcorpus-id\tscore\nq\t${Object.keys(documents)[0]}\t1\n`)
  return path
}

it('a question of XQuAD is answered by its answer, also if the paragraphs of an article are one page', async () => {
  const folder = await collectionOf('xquad-en', {
    p0: 'The bridge was built in 1931.',
    p1: 'It is long.',
    p5: 'A tower was built in 1940.',
  })
  const paragraphs = [{ qas: [{ id: 'q', answers: [{ text: '1931' }] }] }]
  await writeFile(join(dir, 'xquad.en.json'), JSON.stringify({ data: [{ paragraphs }] }))
  const [whole, joined] = await readAnswered(folder, dir)
  expect([whole!.by, whole!.pages.length, joined!.pages.length]).toEqual(['answer', 3, 2])
  const [question] = joined!.questions
  expect(question!.urls).toEqual(new Set([joined!.pages[0]!.url]))
  expect(question!.isAnsweredBy('built in 1931')).toBe(true)
  expect(question!.isAnsweredBy('built in 1940')).toBe(false)
  const options = { maxTokens: 2_000, rounds: 1, seed: 1 }
  const { first, second } = await measureCollection({ ...joined!, questions: [question!, question!] }, options)
  const shares = [first, second].flatMap(half => [half.passages, half['ten snippets']])
  expect(shares.filter(share => !Number.isNaN(share)).every(share => share === 1)).toBe(true)
})

it('without a known answer, a question is answered by most words of a relevant document', async () => {
  const folder = await collectionOf('other', { a: 'one two three four five six seven eight nine ten', b: 'eleven' })
  const [whole, none] = await readAnswered(folder, dir)
  expect([whole!.by, none]).toEqual(['relevant text', undefined])
  const [{ isAnsweredBy } = { isAnsweredBy: () => undefined }] = whole!.questions
  expect(isAnsweredBy('ten nine eight seven six five four three')).toBe(true)
  expect(isAnsweredBy('ten nine eight seven six five four')).toBe(false)
})
