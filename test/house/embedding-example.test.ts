import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const document = readFileSync(join(root, 'docs/embedding.md'), 'utf8')

/** The section of each example that is a whole program, and the program. */
const programs = document.split(/^#{2,3} /m).flatMap(section =>
  [...section.matchAll(/^```ts\n(import [\s\S]*?await [a-z]+\.close\(\)\n)```$/gm)].map(([, program = '']) => ({
    section: section.slice(0, section.indexOf('\n')),
    program,
  })),
)

/** The source file of an entry of the package, such as `asof/http`, as a URL. */
function sourceUrlOf(entry: string): string {
  const exported = Object.entries(packageJson.exports).find(([name]) => name === entry.replace(/^asof/, '.'))?.[1]
  if (typeof exported !== 'object') throw new Error(`${entry} is not exported`)
  const source = exported.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
  return pathToFileURL(join(root, source)).href
}

it('programs serve a data folder, serve without one and add a way in', () => {
  expect(programs.map(({ section }) => section)).toEqual([
    'Serving a data folder',
    'Serving without a data folder',
    'Another way in',
  ])
})

it.each(programs)('the example of docs/embedding.md, $section, prints what its comment says', ({ program }) => {
  const folder = mkdtempSync(join(tmpdir(), 'asof-embedding-'))
  try {
    const source = program.replaceAll(/from '(asof[a-z/-]*)'/g, (_, entry: string) => `from '${sourceUrlOf(entry)}'`)
    writeFileSync(join(folder, 'example.mts'), source)
    const { stdout, stderr, status } = spawnSync(process.execPath, ['example.mts'], { cwd: folder, encoding: 'utf8' })
    const [, promised] = /console\.log\(.*\) \/\/ *(.+)$/m.exec(program) ?? []
    expect({ status, stderr, stdout: stdout.trimEnd() }).toEqual({ status: 0, stderr: '', stdout: promised })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
