import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Returns the programs in a document. */
function programsOf(document: string): string[] {
  return [...readFileSync(join(root, document), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
}

describe.each(['docs/extraction.md', 'packaging/extract.md'])('the examples of %s', document => {
  const programs = programsOf(document)

  it('are three', () => {
    expect(programs).toHaveLength(3)
  })

  it.each(programs)('print what their comments say: %#', program => {
    const source = program.replace(
      "'@asof/extract'",
      JSON.stringify(pathToFileURL(join(root, 'entries/extract.ts')).href),
    )
    expect(source).not.toBe(program)
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
      encoding: 'utf8',
    })
    const promised = [...program.matchAll(/console\.log\(.*\)(?: |\n)\/\/ *(.+)$/gm)].map(([, text]) => text)
    expect(promised.length).toBe(program.split('console.log').length - 1)
    expect({ stderr, lines: stdout.trimEnd().split('\n') }).toEqual({ stderr: '', lines: promised })
  })
})
