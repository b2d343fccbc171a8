import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Limit of all that the first view loads, compressed. */
const FIRST_VIEW_BYTES = 150_000

let folder: string
let page: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'asof-console-'))
  const root = resolve(import.meta.dirname, '../../console')
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  })
  page = readFileSync(join(folder, 'index.html'), 'utf8')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The files that the page names, all of which the browser loads at once. */
const firstFiles = () => [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path = '']) => path)

describe('the built console', () => {
  it('loads at most 150 kB for the first view', () => {
    const bytes = firstFiles().map(path => gzipSync(readFileSync(join(folder, path))).byteLength)
    expect(bytes.length).toBeGreaterThanOrEqual(3)
    expect(bytes.reduce((sum, each) => sum + each, gzipSync(page).byteLength)).toBeLessThan(FIRST_VIEW_BYTES)
  })

  it('loads pages and documents when they are opened', () => {
    const first = firstFiles().join()
    for (const name of ['page-view', 'docs-view', 'markdown']) {
      expect(readdirSync(join(folder, 'assets')).some(file => file.startsWith(name))).toBe(true)
      expect(first).not.toContain(name)
    }
  })

  it('has no script or style in the page, and nothing from another server', () => {
    expect(page).not.toMatch(/<script(?![^>]* src="\/assets\/)|<style|\sstyle=|\son\w+=|https?:\/\//)
  })
})
