import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'

/** Patterns of an odd English that readers of earlier documents stumbled over, with what to write instead. */
const rules: readonly (readonly [name: string, pattern: RegExp, instead: string])[] = [
  [
    'is no',
    /(?<!\b(?:there|where) )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|later|earlier|greater|worse)\b)/i,
    'is not a …, or has no …',
  ],
  // Right in the sense of "by itself": let alone, leave alone, alone or with another.
  ['alone', /(?<!\b(?:let|stand|standing|leaves?|left) )\balone\b(?! or\b)/i, 'only'],
  ['beside', /\bbesides?\b/i, 'in addition to, next to, or other than'],
  ['at once', /\bat once\b/i, 'immediately, or at the same time'],
  // Right as the end of "as of": as of its own instant.
  ['of its own', /(?<!\bas )\bof (?:its|their) own\b/i, 'its own …, or a separate …'],
  ['all the same', /\ball the same\b/i, 'anyway, or still'],
  ['Of … the', /^Of (?!course\b)/, 'a sentence that begins with its subject'],
  ['What …', /^(?:What|Who|How many|How much|Whether) [^?]*\.$/, 'a sentence that names its subject'],
]

const markdown = new MarkdownIt()

/** Returns the sentences of a document that are neither code nor in quotation marks. */
function sentencesOf(document: string): string[] {
  const texts: string[] = []
  for (const { type, children } of markdown.parse(document, {})) {
    if (type !== 'inline') continue
    // Code stands for a word, so that the sentence around it keeps its form.
    texts.push(
      (children ?? [])
        .map(({ type: kind, content }) =>
          kind === 'text' ? content : kind === 'code_inline' ? 'X' : kind === 'softbreak' ? ' ' : '',
        )
        .join(''),
    )
  }
  return texts.flatMap(text => text.replace(/[“"][^”"]*[”"]/g, 'X').split(/(?<=[.:;!?]) +(?=[A-Z])/))
}

/** Returns what the rules find in a document. */
function findings(document: string): string[] {
  return sentencesOf(document).flatMap(sentence =>
    rules
      .filter(([, pattern]) => pattern.test(sentence))
      .map(([name, , instead]) => `${name}: ${sentence} (write: ${instead})`),
  )
}

const root = resolve(import.meta.dirname, '../..')
/** All documents but the reports of benchmarks, such as `bench/SPEED.md`: a run wrote these, and a later one replaces them. */
const documents = globSync('**/*.md', {
  cwd: root,
  exclude: path => /(^|\/)(node_modules|dist|data|fixtures)$/.test(path),
})
  .filter(path => !/^bench\/(?!README)[A-Z]+\.md$/.test(path))
  .sort()

describe('plain English', () => {
  it.each(documents)('is what %s is written in', name => {
    expect(findings(readFileSync(join(root, name), 'utf8'))).toEqual([])
  })

  it.each([
    ['A view is no capture.', 'is no'],
    ['Only [root](a.md) alone can read it.', 'alone'],
    ['Beside the fields of a fetch the answer has more.', 'beside'],
    ['A second Ctrl-C stops at once.', 'at once'],
    ['Each file is a crawl of its own.', 'of its own'],
    ['The others are added all the same.', 'all the same'],
    ['Of a verdict the newest 20 times are shown.', 'Of … the'],
    ['What a page says besides its text.', 'What …'],
  ])('is not %j', (sentence, name) => {
    expect(findings(sentence).map(found => found.split(':')[0])).toContain(name)
  })

  it.each([
    'The name `bge-base` counts alone or with `-en`.',
    'There is no limit.',
    'Each query is searched as of its own instant.',
  ])('is %j', sentence => {
    expect(findings(sentence)).toEqual([])
  })

  it('is found in prose only: not in code, questions and quotations', () => {
    const fine = 'There is no `alone` here, "at once" is quoted.\n\n```\nof its own\n```\n\n## What does it do?\n'
    expect(findings(fine)).toEqual([])
  })
})
