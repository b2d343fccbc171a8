import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RELEASE } from '../../../core/runtime/release.ts'

it('the release of core is that of its package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../core/package.json', import.meta.url), 'utf8')) as unknown
  expect(manifest).toMatchObject({ version: RELEASE })
})
