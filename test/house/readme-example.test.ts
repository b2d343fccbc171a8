import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const [, example = ''] =
  /^```ts\n(import \{ open \}[\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []

it('the example of the README prints what its comments say', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asof-readme-'))
  try {
    const source = example.replace("'asof'", JSON.stringify(pathToFileURL(join(root, 'core/index.ts')).href))
    expect(source).not.toBe(example)
    writeFileSync(join(folder, 'example.mjs'), source)
    const { stdout, stderr, status } = spawnSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8' })
    const promised = [...example.matchAll(/console\.log\(.*\) \/\/ *(.+)$/gm)].map(([, text]) => text)
    expect(promised.length).toBe(2)
    expect({ status, stderr, lines: stdout.trimEnd().split('\n') }).toEqual({ status: 0, stderr: '', lines: promised })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
