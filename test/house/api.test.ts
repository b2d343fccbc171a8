import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Returns the top-level statements of a declaration file as printed by tsc: each starts with a word in the first column. */
function statementsOf(declarations: string): string[] {
  return declarations
    .split(/^(?=(?:export|declare|import|interface|type|class)\b)/m)
    .map(statement => statement.trimEnd())
    .filter(statement => statement !== '')
}

/** Returns the names that the declaration file of an entry re-exports, each with the file that declares it. */
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

/** Returns the statement that declares `name`, as a caller sees it. */
function declarationOf(name: string, declarations: string): string {
  const declares = new RegExp(`^(export )?(declare )?(abstract )?(const|function|class|interface|type) ${name}\\b`)
  const found = statementsOf(declarations).filter(statement => declares.test(statement))
  if (found.length === 0) throw new Error(`no declaration of ${name}`)
  return found
    .map(statement => statement.replace(/^export (declare )?/, '').replace(/^ {4}(private|#).*;\n/gm, ''))
    .join('\n')
}

it('the public API equals api.txt (accept a change with --update)', async () => {
  const built = mkdtempSync(join(tmpdir(), 'asof-api-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--removeComments', '--outDir', built]
    // Type errors are ignored here, because `npm run check:types` reports them; declarations are written anyway.
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
