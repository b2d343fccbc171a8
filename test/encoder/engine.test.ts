import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import { CrossEncoder, Encoder } from '../../encoder/index.ts'
import { Fixture } from './fixture.ts'

it('an encoder and a cross-encoder are the models of an engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'asof-test-'))
  const embed = await Encoder.open({ path: new Fixture('bert').folder, maxTokens: 40 })
  const rerank = await CrossEncoder.open({ path: new Fixture('bert-classifier').folder, maxTokens: 40 })
  const engine = await open(folder, { embed, rerank })
  try {
    const pages = ['the cat sat on the mat', 'the dog sat on the log', 'a search engine finds pages']
    await engine.add(pages.map((text, i) => ({ url: `https://example.com/${i}`, title: `Page ${i}`, text })))
    expect((await engine.stats()).vectors).toBe(pages.length)
    const { results, receipt, warning } = await engine.search('the cat sat', { mode: 'pro' })
    expect(warning).toBeUndefined()
    expect(results.length).toBeGreaterThan(0)
    expect(JSON.stringify(receipt)).toContain(embed.model)
    expect(JSON.stringify(receipt)).toContain(rerank.model)
  } finally {
    await engine.close()
    await Promise.all([embed.close(), rerank.close()])
    rmSync(folder, { recursive: true })
  }
})
