/**
 * Who may import whom. `npm run check:imports` fails on a breach, on a cycle and on a file that nothing leads to;
 * test/house/imports.test.ts proves that each of these rules bites.
 */

/** Rooms of core, and what each may import besides itself (and engine.ts, for types). A new room needs a line here. */
const rooms = {
  time: ['errors.ts', 'page.ts'],
  text: ['errors.ts', 'page.ts'],
  extract: ['text', 'errors.ts', 'options.ts', 'page.ts', 'shown-value.ts', 'url.ts'],
  segment: ['text', 'errors.ts'],
  leveldb: [],
  store: ['leveldb', 'segment', 'text', 'errors.ts', 'page.ts', 'url.ts'],
  meaning: ['store', 'errors.ts'],
  search: [
    'time',
    'text',
    'extract/date-text.ts',
    'meaning',
    'segment',
    'store',
    'engine-options.ts',
    'errors.ts',
    'page.ts',
    'shown-value.ts',
    'url.ts',
  ],
  repair: ['leveldb', 'text', 'segment', 'store', 'ingest', 'errors.ts', 'options.ts', 'page.ts', 'shown-value.ts'],
  serve: [
    'answer.ts',
    'first-results.ts',
    'ingest',
    'meaning',
    'search',
    'segment',
    'store',
    'errors.ts',
    'page.ts',
    'url.ts',
    'warnings.ts',
  ],
  snippet: ['text', 'segment', 'errors.ts', 'page.ts'],
  suggest: ['segment', 'serve', 'store', 'errors.ts', 'url.ts'],
}

/** Single files of core that everything may lean on, and what each may import. */
const leaves = {
  'errors.ts': [],
  'page.ts': ['errors.ts'],
  'url.ts': ['errors.ts', 'shown-value.ts'],
  'shown-value.ts': [],
  'unknown-name.ts': ['shown-value.ts', 'text/edit-distance.ts'],
  'options.ts': ['errors.ts', 'shown-value.ts', 'unknown-name.ts'],
}

/**
 * Where a caller, the runtime or a worker pool comes in. A worker is named `worker.ts` or `…-worker.ts`; a
 * `generate-….ts` is run by hand, writes a `….generated.ts`, and is not published.
 */
const entryPoints =
  '^(core|crawler|transports/[^/]+)/index[.]ts$|^transports/cli/main[.]ts$|(^|/|-)worker[.]ts$|/generate-[^/]+[.]ts$'

const shipped = '^(core|crawler|transports)/'
const sockets = '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises)$|node_modules/(undici|fastify|@fastify)/'

/** A path of core as a pattern: a file as it is, a room with all that is in it. */
const pattern = path => `^core/${path.endsWith('.ts') ? `${path.replace('.', '[.]')}$` : `${path}/`}`

/** No import from `from` to `to`, unless to `except`. */
const never = (name, from, to, except) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to, ...(except && { pathNot: except }) },
})

export default {
  forbidden: [
    // transports → crawler → core, each by its entry file
    never('core-looks-down', '^core/', '^(crawler|transports|bench|test)/'),
    never('crawler-looks-down', '^crawler/', '^(transports|bench|test)/'),
    never('transports-look-down', '^transports/', '^(bench|test)/'),
    // The client has a rule of its own, below: it loads no engine.
    never('core-by-its-entry', '^(crawler|transports/(?!client/))', '^core/', '^core/index[.]ts$'),
    // The entry loads all that fetches; the wording of refusals is needed without it.
    never('crawler-by-its-entry', '^transports/', '^crawler/', '^crawler/(index|field-reason)[.]ts$'),

    // inside transports: what every way in leans on
    never('access-knows-no-carrier', '^transports/access/', '^transports/', '^transports/(access|service)/'),
    never('service-knows-no-carrier', '^transports/service/', '^transports/', '^transports/service/'),

    never('mcp-knows-no-other-carrier', '^transports/mcp/', '^transports/', '^transports/(mcp|access|service|client)/'),
    never(
      'payments-know-no-carrier',
      '^transports/payments/',
      '^transports/',
      '^transports/(payments|access|service)/',
    ),
    {
      name: 'chain-is-for-payments',
      severity: 'error',
      from: { path: shipped, pathNot: '^transports/payments/' },
      to: { path: 'node_modules/(viem|@x402|maxmind|tiny-secp256k1)/' },
    },
    // The libraries of the chain are large: who takes no payments loads none of them.
    {
      name: 'payments-load-late',
      severity: 'error',
      from: { path: shipped, pathNot: '^transports/payments/' },
      to: {
        path: '^transports/payments/(index|payments|chain|region)[.]ts$',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },

    // who embeds the client loads the client alone, and what checks options
    {
      name: 'client-loads-itself',
      severity: 'error',
      from: { path: '^transports/client/' },
      to: {
        pathNot: '^(transports/client/|core/(errors|options|shown-value)[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },

    // inside core
    never('core-opens-no-socket', '^core/', sockets),
    never('core-index-is-for-others', '^core/', '^core/index[.]ts$'),
    {
      name: 'engine-is-an-interface',
      severity: 'error',
      from: { path: '^core/' },
      to: { path: '^core/engine[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(rooms).map(([room, allowed]) =>
      never(`core/${room}`, pattern(room), '^core/', [room, 'engine.ts', ...allowed].map(pattern)),
    ),
    ...Object.entries(leaves).map(([leaf, allowed]) =>
      never(`core/${leaf}`, pattern(leaf), shipped, [leaf, ...allowed].map(pattern)),
    ),

    // everywhere
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dead-file',
      severity: 'error',
      from: { path: entryPoints },
      to: { path: shipped, pathNot: entryPoints, reachable: false },
    },
    { name: 'no-unresolvable', severity: 'error', from: { path: shipped }, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: shipped },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional', 'type-only'],
      },
    },
  ],
  options: {
    // TypeScript 7 offers dependency-cruiser no API. swc reads the same syntax and keeps type-only imports.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
