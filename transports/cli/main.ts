#!/usr/bin/env node
import { oldNodeMessage } from '@asof/extract/node-version'

/** Commands that may run long or index many pages. */
const longCommands = ['crawl', 'import', 'serve', 'mcp', 'doctor']

async function main(): Promise<void> {
  // Scripts ask for the version before each of their steps, and need no command for it.
  if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2] ?? '')) {
    const { packageVersion } = await import('../mcp/package-version.ts')
    process.stdout.write(`${packageVersion}\n`)
    return
  }
  // All other modules are imported after the check of Node's version, because an old Node can't parse some of them.
  const { restartLean, setLeanFlags } = await import('./lean-memory.ts')
  // The files that commands create hold pages, queries, accounts and payments: only this user may read them.
  process.umask(0o077)
  // The restart comes before the commands are loaded, so that they are loaded only once.
  if (longCommands.includes(process.argv[2] || '')) restartLean()
  setLeanFlags()
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine(process.argv)
}

const refusal = oldNodeMessage(process.versions.node)
if (refusal === undefined) {
  main()
} else {
  process.stderr.write(`asof: ${refusal}\n`)
  process.exitCode = 1
}
