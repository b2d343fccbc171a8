import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../core/passages/token-estimate.ts'
import { samples } from '../language-samples.ts'

const root = join(import.meta.dirname, '../../..')
const tokenizers = [new Tiktoken(cl100k), new Tiktoken(o200k)]

/** Returns the estimate, relative to the highest count of a tokenizer. */
function ratioOf(text: string): number {
  return estimateTokens(text) / Math.max(...tokenizers.map(tokenizer => tokenizer.encode(text).length))
}

/** Returns parts of files of the repository, of about the length of a passage. */
function partsOf(folder: string, extension: string): string[] {
  const files = readdirSync(join(root, folder)).filter(name => name.endsWith(extension))
  const texts = files.slice(0, 12).map(name => readFileSync(join(root, folder, name), 'utf8'))
  return texts.flatMap(text => Array.from({ length: 4 }, (_, i) => text.slice(i * 900, (i + 1) * 900))).filter(Boolean)
}

const addresses = [
  'https://docs.example.com/en-US/guides/connection-pools/index.html?version=2.14.1&utm_source=newsletter#idle-connections',
  'https://example.com/wiki/%E6%8E%A5%E7%B6%9A%E3%83%97%E3%83%BC%E3%83%AB?oldid=10287364',
  'postgres://reader:secret@db-7.internal.example.net:5432/prod_index?sslmode=require',
  'https://cdn.example.org/assets/3f786850e387550fdab836ed7e6dc881de23001b/app.min.js',
  'someone.else+lists@mail.example.co.uk',
].join('\n')
const emoji = '😀 👍🏽 👩‍👩‍👧‍👦 🇩🇪 ✅ ❤️ ☎️ 🚀 🧑‍💻 🏳️‍🌈 ⚠️ ™️ 🀄 🎉 🥳 🫠 🐈‍⬛ 1️⃣ 🥐🥐🥐 👋🏿'

describe('estimateTokens', () => {
  it.each(samples.map(({ language, title, text }) => [language, `${title}\n${text}`]))(
    'is not more than 5 % below the tokenizers for a text in %s',
    (_, text) => {
      expect(ratioOf(text)).toBeGreaterThanOrEqual(0.95)
      expect(ratioOf(text)).toBeLessThan(1.7)
    },
  )

  it.each([
    ['English Markdown', partsOf('docs', '.md')],
    ['TypeScript', partsOf('core/search', '.ts')],
    [
      'JSON',
      [0, 1, 2, 3].map(i => readFileSync(join(root, 'package-lock.json'), 'utf8').slice(i * 900, (i + 1) * 900)),
    ],
    ['addresses', [addresses]],
    ['emoji', [emoji, emoji.replaceAll(' ', '')]],
  ])('is not more than 5 % below the tokenizers for %s', (_, texts) => {
    const ratios = texts.map(ratioOf)
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.95)
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(1.6)
  })

  it('is 0 for no text, and takes linear time', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('a'.repeat(1_000_000))).toBeGreaterThan(100_000)
    expect(estimateTokens('\ud800')).toBeGreaterThan(0)
  })
})
