/**
 * Which folder may import which. `npm run check:imports` fails on a violation, on a cycle of files, on a ring of folders and on a file that
 * nothing leads to; test/house/imports.test.ts proves that each rule can fail.
 *
 * The layers, lowest first: extract ← core ← crawler ← service ← transports ← entries, bench, test. The store is on the service and the ways in of HTTP, and only the command uses it. The cluster and the database are on core alone:
 * the cluster stands beside the others, and the crawler and the service use the database. The encoder is on extract alone, beside core.
 */

/** Where a caller, the runtime or a worker pool comes in. */
const entryPoints = [
  '^entries/[^/]+[.]ts$',
  '^(core/(internal|testing/index)|extract/internal|(extract|encoder|core)/index)[.]ts$',
  '^transports/cli/main[.]ts$',
  // A worker is named `worker.ts` or `…-worker.ts`. A `generate-….ts` is run by hand and is not published.
  '(^|/|-)worker[.]ts$|/generate-[^/]+[.]ts$',
].join('|')

const shipped = '^(extract|encoder|core|cluster|database|crawler|service|store|transports)/'
/** The files by which entries of the package come in. */
const roomEntries =
  '^(cluster|crawler|service|service/(accounts|crawl-jobs|crawls|data-folder|local-models|records)|store|store/payments|transports/(client|http|mcp|upstream)|transports/http/ways)/index[.]ts$'

const sockets = '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises)$|node_modules/(undici|fastify|@fastify)/'
const chain = 'node_modules/(viem|@x402|maxmind|tiny-secp256k1)/'

/** Files of extract and core that everything may use. They use nothing but each other. */
const leaves =
  '^(extract/((page|node-version|expect-node)|(errors|characters)/[^/]+)|core/(page|url|document-url))[.]ts$'

/** The files of extract that other packages import. */
const extraction =
  '^extract/((index|internal|page|extract-pool|node-version|expect-node)|(characters|errors|field-kinds|processes|written-dates)/index|structured/exact-json|written-dates/timestamp)[.]ts$'

/** Folders of core that hold data structures and algorithms on them, and know no index, no writer and no search. */
const structures = '^core/(bytes|dates|fields|kernels|leveldb|postings|segment|text|threads)/'

/** Forbids imports from `from` to `to`, except to `except`. */
const never = (name, from, to, except) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: except ? { path: to, pathNot: except } : { path: to },
})

/** Forbids imports that are loaded with the importing file. Types, and `import()` at the first use, are allowed. */
const neverAtStart = (name, from, fromNot, to, allowed) => ({
  name,
  severity: 'error',
  from: fromNot ? { path: from, pathNot: fromNot } : { path: from },
  to: { path: to, dependencyTypesNot: allowed },
})

export default {
  forbidden: [
    // The layers: imports point down.
    never(
      'extract-is-lowest',
      '^extract/',
      '^(encoder|core|cluster|database|crawler|service|store|transports|bench|test)/',
    ),
    never('encoder-uses-extract', '^encoder/', '^(core|cluster|database|crawler|service|store|transports|bench|test)/'),
    never('core-uses-extract', '^core/', '^(encoder|cluster|database|crawler|service|store|transports|bench|test)/'),
    never('cluster-uses-core', '^cluster/', '^(crawler|service|store|transports|bench|test)/'),
    never('database-uses-core', '^database/', '^(cluster|crawler|service|store|transports|bench|test)/'),
    never('crawler-above-core', '^crawler/', '^(service|store|transports|bench|test)/'),
    never('service-above-crawler', '^service/', '^(store|transports|bench|test)/'),
    never('store-is-a-guest', '^transports/(?!cli/)', '^store/'),
    never('store-above-service', '^store/', '^(bench|test)/'),
    never('transports-are-highest', '^transports/', '^(bench|test)/'),

    // The subpaths of the package asof choose from what rooms list. The sources import rooms, and never a subpath.
    never(
      'entries-use-entries',
      '^entries/',
      `${shipped}|^(bench|test)/`,
      `^(core|core/testing|extract)/index[.]ts$|${roomEntries}`,
    ),
    never('entries-are-for-programs', `${shipped}|^(bench|console|examples)/`, '^entries/'),

    // A layer is entered by the file that lists what it offers.
    never(
      'extract-by-its-entries',
      '^(encoder|core|cluster|database|crawler|service|store|transports)/',
      '^extract/',
      extraction,
    ),
    never(
      'core-by-its-entry',
      '^(cluster|database|crawler|service|store|transports/(?!client/))',
      '^core/',
      '^core/(index|internal)[.]ts$',
    ),
    never(
      'encoder-by-its-entry',
      '^(cluster|database|crawler|service|store|transports)/',
      '^encoder/',
      '^encoder/index[.]ts$',
    ),
    never(
      'database-by-its-entry',
      '^(cluster|crawler|service|store|transports)/',
      '^database/',
      '^database/index[.]ts$',
    ),
    // The entry loads everything that fetches; its errors and the wording of invalid fields are needed without it.
    never(
      'crawler-by-its-entry',
      '^(service|store|transports)/',
      '^crawler/',
      '^crawler/(index|errors|field-reason)[.]ts$',
    ),

    // Else rooms could form a ring by way of such a file, which the rule against rings does not see.
    never('crawler-leaves-use-no-room', '^crawler/(?!index[.]ts$)[^/]+[.]ts$', '^crawler/[^/]+/'),
    never('cluster-leaves-use-no-room', '^cluster/(?!(index|cluster-tools)[.]ts$)[^/]+[.]ts$', '^cluster/[^/]+/'),
    never('cluster-by-its-entry', '^(crawler|service|store|transports)/', '^cluster/', '^cluster/index[.]ts$'),

    // The same for the rooms of service and of the store. Two files of payments are needed by commands that load no payments.
    never('service-by-its-entries', '^(store|transports)/', '^service/', '^service/(index|[^/]+/index)[.]ts$'),
    never(
      'store-by-its-entries',
      '^transports/',
      '^store/',
      '^store/(index|[^/]+/index|payments/(payment-acts|payment-settings))[.]ts$',
    ),
    never('ways-by-their-entry', '^store/', '^transports/', '^transports/http/ways/index[.]ts$'),

    // Inside service, a room imports the file that has what it needs. Only the data folder puts all of service together.
    never('service-index-is-for-others', '^service/(?!data-folder/)', '^service/index[.]ts$'),

    // Adapters: the command line starts the others, HTTP answers agents at /mcp, and another server is called by the client.
    never('adapters-are-apart', '^transports/(http|mcp|client|upstream)/', '^transports/cli/'),
    never('mcp-knows-no-http', '^transports/(mcp|client|upstream)/', '^transports/http/'),
    // A dialect knows the interface of its vendor, and not that of another one or of this server.
    never(
      'dialects-are-apart',
      '^transports/http/dialects/([^/]+)/',
      '^transports/',
      '^transports/http/dialects/(frame|$1)/',
    ),
    // Whoever embeds the client loads the client alone, and the check of its options.
    {
      name: 'client-loads-itself',
      severity: 'error',
      from: { path: '^(transports/client/|entries/client[.]ts$)' },
      to: {
        pathNot: '^(transports/client/|extract/errors/index[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },

    // The console runs in browsers and calls the public API. It may import the types of requests and answers, and no code.
    never(
      'console-is-apart',
      '^console/',
      '^(extract|encoder|core|database|crawler|service|store|transports|bench|test)/',
      '^service/(contract/[a-z]+-schemas?|accounts/(admin-schemas|plans/plan)|crawls/crawl-schemas)[.]ts$',
    ),
    neverAtStart('console-loads-no-schema', '^console/', undefined, '^service/', ['type-only']),
    never('console-is-for-browsers', '^(extract|encoder|core|database|crawler|service|store|transports)/', '^console/'),

    // An example is an application: it uses what the packages export.
    never(
      'examples-use-packages',
      '^examples/',
      '^(extract|encoder|core|database|crawler|service|store|transports|bench|test)/',
      '^(extract|encoder|core)/index[.]ts$',
    ),
    never(
      'examples-are-apart',
      '^(extract|encoder|core|database|crawler|service|store|transports|bench)/',
      '^examples/',
    ),

    // The libraries of a chain are large: whoever takes no payments loads none of them.
    never('chain-is-for-payments', '^(extract|encoder|core|crawler|service|transports|store/(?!payments/))', chain),
    neverAtStart(
      'payments-load-late',
      shipped,
      '^store/payments/',
      '^store/payments/(index|payments|reconciler|chain|region)[.]ts$',
      ['type-only', 'dynamic-import'],
    ),

    // Inside extract and core.
    never('core-opens-no-socket', '^(extract|encoder|core)/', sockets),
    never('core-index-is-for-others', '^core/', '^core/(index|internal)[.]ts$'),
    neverAtStart('engine-is-an-interface', '^core/', undefined, '^core/engine/engine[.]ts$', ['type-only']),
    never('leaves-use-leaves', leaves, '^(extract|core)/', leaves),
    never(
      'structures-know-no-engine',
      structures,
      '^core/(ingest|merge|models|repair|scheduling|search|snippet|store|suggest|vectors)/|^core/engine/',
    ),
    never('readers-do-not-write', '^core/(passages|search|snippet|suggest)/', '^core/(ingest|merge|repair)/'),

    // Everywhere.
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    // A room can be understood and changed alone only if the rooms that it uses do not use it, not even by way of others.
    {
      name: 'no-ring-of-rooms',
      scope: 'folder',
      severity: 'error',
      from: {
        path: '^(extract|encoder|core|cluster|database|crawler|service|store|transports|bench|console|examples)/',
      },
      to: { circular: true },
    },
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
      // Generators are not built, see tsconfig.build.json.
      from: { path: shipped, pathNot: '/generate-[^/]+$' },
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
    exclude: { path: '^(console/built|bench/dist)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
