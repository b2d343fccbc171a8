import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const document = readFileSync(join(root, 'docs/embedding.md'), 'utf8')
const [, example = ''] = /^```ts\n(import \{ openDataFolder \}[\s\S]*?)^```$/m.exec(document) ?? []

/** The source file of an entry of the package, such as `asof/http`, as a URL. */
function sourceUrlOf(entry: string): string {
  const exported = Object.entries(packageJson.exports).find(([name]) => name === entry.replace(/^asof/, '.'))?.[1]
  if (typeof exported !== 'object') throw new Error(`${entry} is not exported`)
  const source = exported.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
  return pathToFileURL(join(root, source)).href
}

it('the example of docs/embedding.md that serves a data folder prints what its comment says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asof-embedding-'))
  try {
    const source = example.replaceAll(/'(asof\/[a-z-]+)'/g, (_, entry: string) => JSON.stringify(sourceUrlOf(entry)))
    writeFileSync(join(folder, 'example.mjs'), source)
    const { stdout, stderr, status } = spawnSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8' })
    const [, promised] = /console\.log\(.*\) \/\/ *(.+)$/m.exec(example) ?? []
    expect({ status, stderr, stdout: stdout.trimEnd() }).toEqual({ status: 0, stderr: '', stdout: promised })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
