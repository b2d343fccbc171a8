import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generatedHistories, verifyDrawn } from '../../../bench/quotes/quotes.ts'

it('has all drawn quotes verified right, of each verdict some', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'asof-quotes-'))
  try {
    const { right, wrong } = await verifyDrawn(dir, generatedHistories(600, 7), 600, 7)
    expect(wrong).toEqual([])
    expect([...right.keys()].sort()).toEqual(['gone', 'reworded', 'unknown_page', 'verbatim'])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
