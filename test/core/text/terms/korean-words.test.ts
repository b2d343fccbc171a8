import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'
import { koreanPageTerms, koreanQueryTerms } from '../../../../core/text/terms/korean-words.ts'

const pages: Record<string, string> = {
  exact: '서울 날씨',
  from: '서울에서 만나요',
  of: '서울의 밤',
  compound: '대한민국정부의 발표',
  meeting: '오늘 회의 시간',
  decomposed: '부산으로 간다'.normalize('NFD'),
  other: '제주 바다',
}

describe('Korean words', () => {
  let folder: string
  let engine: Engine
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'asof-korean-'))
    engine = await open(folder, { searchThreads: 0 })
    await engine.add(
      Object.entries(pages).map(([name, text]) => ({ url: `https://${name}.example/`, text, lang: 'ko' })),
    )
  })
  afterAll(async () => {
    await engine.close()
    await rm(folder, { recursive: true })
  })
  const found = async (query: string): Promise<string[]> =>
    (await engine.search(query, { mode: 'realtime' })).results.map(({ url }) => new URL(url).hostname.split('.')[0]!)

  it('are found with and without particles, as written first', async () => {
    expect((await found('서울')).sort()).toEqual(['exact', 'from', 'of'])
    expect((await found('서울'))[0]).toBe('exact')
    expect((await found('서울에서'))[0]).toBe('from')
    expect((await found('서울에서')).sort()).toEqual(['exact', 'from', 'of'])
  })

  it('are found inside compounds', async () => {
    expect(await found('정부')).toEqual(['compound'])
    expect(await found('대한민국')).toEqual(['compound'])
  })

  it('are found however their syllables are encoded', async () => {
    expect(await found('부산')).toEqual(['decomposed'])
  })

  it('keep a last syllable that only looks like a particle', async () => {
    expect(await found('회의')).toEqual(['meeting'])
    expect(koreanQueryTerms('회의')).toEqual([':=회의'])
    expect(koreanPageTerms('집에')).toEqual([':=집에', ':=집'])
  })

  it('of any length are bounded', () => {
    expect(koreanPageTerms('가'.repeat(100_000))).toEqual([])
  })
})
