#!/usr/bin/env node
import { restartLean, setLeanFlags } from './lean-memory.ts'

/** Commands that may run for long, or index much. */
const longCommands = new Set(['crawl', 'import', 'serve', 'mcp', 'doctor'])

// What commands create holds pages, queries, accounts and payments: it is for this user alone.
process.umask(0o077)

// Before anything else is loaded: it would be loaded twice.
if (longCommands.has(process.argv[2] ?? '')) restartLean()
setLeanFlags()
const { runCommandLine } = await import('./command-line.ts')
await runCommandLine(process.argv)
