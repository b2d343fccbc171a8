import type { Fault } from './fault.ts'

/** Faults in the command line, HTTP and MCP. */
export const transportFaults: readonly Fault[] = [
  {
    name: 'asof search looks only for the last word',
    file: 'transports/cli/commands/search.ts',
    find: "query: words.join(' ')",
    replace: "query: words.at(-1) ?? ''",
    tests: ['test/system/cli-commands'],
    suite: 'system',
  },
  {
    name: 'the search of an agent has the mode realtime instead of pro',
    file: 'transports/mcp/tools/search-tool.ts',
    find: "{ mode = 'pro' }",
    replace: "{ mode = 'realtime' }",
    tests: ['test/transports/mcp', 'test/transports/http/mcp'],
    suite: 'unit',
  },
  {
    name: 'the server accepts a body ten times as long as its limit',
    file: 'transports/http/http-defaults.ts',
    find: 'bodyLimitBytes: 256 * 1024',
    replace: 'bodyLimitBytes: 2560 * 1024',
    tests: ['test/transports/http/refusals', 'test/transports/http/order-of-refusals'],
    suite: 'unit',
  },
  {
    name: 'the date of a memento finds the memento before it',
    file: 'transports/http/memento/memento-time.ts',
    find: '}.999Z`',
    replace: '}.000Z`',
    tests: ['test/transports/http/memento'],
    suite: 'unit',
  },
]
