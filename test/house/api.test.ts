import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Top-level statements of a declaration file as tsc prints it: each starts in the first column with a word. */
function statementsOf(declarations: string): string[] {
  return declarations
    .split(/^(?=(?:export|declare|import|interface|type|class)\b)/m)
    .map(statement => statement.trimEnd())
    .filter(statement => statement !== '')
}

/** The names that an entry's declaration file re-exports, with the file that declares each. */
function exportsOf(entry: string): { name: string; from: string }[] {
  return statementsOf(entry).flatMap(statement => {
    if (/^import '/.test(statement)) return []
    const [, names, from = ''] = /^export (?:type )?\{([^}]*)\} from '([^']+)';$/.exec(statement) ?? []
    if (names === undefined) throw new Error(`an entry exports by name, from another file; not so: ${statement}`)
    return names
      .split(',')
      .map(name => name.trim().replace(/^type /, ''))
      .filter(name => name !== '')
      .map(name => ({ name, from }))
  })
}

/** The statement that declares `name`, as a caller sees it. */
function declarationOf(name: string, declarations: string): string {
  const declares = new RegExp(`^(export )?(declare )?(abstract )?(const|function|class|interface|type) ${name}\\b`)
  const found = statementsOf(declarations).filter(statement => declares.test(statement))
  if (found.length === 0) throw new Error(`no declaration of ${name}`)
  return found
    .map(statement => statement.replace(/^export (declare )?/, '').replace(/^ {4}(private|#).*;\n/gm, ''))
    .join('\n')
}

it('the public API is the one in api.txt; --update accepts a change', async () => {
  const built = mkdtempSync(join(tmpdir(), 'asof-api-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--removeComments', '--outDir', built]
    // Types that do not check are the business of `npm run check:types`; what is declared is written all the same.
    spawnSync(process.execPath, [tsc, ...options], { cwd: root })
    const read = (path: string) => readFileSync(join(built, 'core', path), 'utf8')
    const listing = ['index.d.ts', 'testing/index.d.ts'].flatMap(entry =>
      exportsOf(read(entry))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, from }) => declarationOf(name, read(join(dirname(entry), from).replace(/\.(ts|js)$/, '.d.ts')))),
    )
    await expect(`${listing.join('\n\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'api.txt'))
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
})
