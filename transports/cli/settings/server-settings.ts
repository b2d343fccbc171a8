import { z } from 'zod'
import { defaultJobLimits } from '../../../service/crawl-jobs/index.ts'
import { limits } from '../../../service/index.ts'
import { httpDefaults } from '../../http/http-defaults.ts'
import type { HttpSettings } from '../../http/settings.ts'
import { settingTable } from './setting.ts'
import {
  boolean,
  dialectList,
  hostNames,
  instant,
  integer,
  nonEmptyText,
  origins,
  postgresUrl,
  proxies,
  webUrl,
} from './setting-types.ts'

const logLevels = ['silent', 'error', 'info', 'debug'] as const

/** `error` logs failures, `info` every request, and `debug` every request and the full message of each failure. */
export type LogLevel = (typeof logLevels)[number]

/** The settings of the process that serves. */
export const processSettings = settingTable('', {
  host: { type: nonEmptyText, default: '127.0.0.1', flag: '<host>', text: 'address to listen on' },
  port: { type: integer(0, 65_535), default: 8787, flag: '<port>', text: 'port to listen on; 0 picks a free one' },
  sealedAt: {
    type: instant,
    unset: 'not sealed',
    flag: '<time>',
    text: 'answer as if it were this instant, and show [nothing that came later](time-travel.md#sealed): a date or an ISO 8601 timestamp',
  },
  logLevel: {
    type: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }),
    unset: 'info',
    flag: '<level>',
    text: 'what is [logged](operations.md#log): silent, error, info or debug',
  },
})

/** The settings of a data folder and of what is fetched into it. */
export const folderSettings = settingTable('', {
  allowPrivate: {
    type: boolean,
    default: false,
    flag: '',
    text: 'allow fetching from loopback and private addresses',
  },
  storeLive: {
    type: boolean,
    default: false,
    flag: '',
    text: 'add pages that are [fetched live](http-api.md#live-fetches) to the index',
  },
  liveRobots: {
    type: boolean,
    default: false,
    flag: '',
    text: 'obey robots.txt in [live fetches](http-api.md#live-fetches)',
  },
  retain: {
    type: z.string().regex(/^\d{1,6}(?:min|h|d|w|mo|y)$/, { error: 'must be a duration such as 90d, 6mo or 2y' }),
    unset: 'keep all',
    flag: '<time>',
    text: 'delete versions that were [superseded longer ago](operations.md#retention) than this, such as 90d, 6mo or 2y',
  },
  database: {
    type: postgresUrl,
    unset: 'in the data folder',
    text: 'PostgreSQL in which [several servers](operations.md#several-servers) share accounts, payments, rate limits and feedback, and [several crawlers](crawling-and-import.md#several-crawlers) the known URLs of crawls, such as `postgres://user:password@host:5432/name`',
  },
  cacheBytes: {
    name: 'cache_mb',
    type: integer(1, 65_536).transform(mib => mib * 2 ** 20),
    default: 256,
    flag: '<n>',
    text: '[memory for index caches](operations.md#threads-and-memory), MiB, and a quarter as much for mapped files',
  },
  vectorBytes: {
    name: 'vector_mb',
    type: integer(0, 3_072).transform(mib => mib * 2 ** 20),
    default: 384,
    flag: '<n>',
    text: 'memory for [vectors](models.md#queries) of pages, MiB; if the captures do not fit, vectors find no page',
  },
  searchTimeoutMs: {
    type: integer(1, 3_600_000),
    default: 5_000,
    flag: '<n>',
    text: '[processor time](operations.md#threads-and-memory) that one search may take, milliseconds',
  },
})

const HOUR_MS = 3_600_000

/** How much one organization may crawl. */
export const crawlJobSettings = settingTable('crawl_job_', {
  running: {
    name: 'crawl_jobs',
    type: integer(0, 64),
    default: defaultJobLimits.running,
    flag: '<n>',
    text: '[crawls](http-api.md#crawls) of one organization that run at a time; 0 turns them off',
  },
  pages: {
    type: integer(1, limits.crawledPages),
    default: defaultJobLimits.pages,
    flag: '<n>',
    text: 'pages of one such crawl',
  },
  pagesPerDay: {
    type: integer(1),
    default: defaultJobLimits.pagesPerDay,
    flag: '<n>',
    text: 'pages of such crawls of one organization in 24 hours',
  },
  keepMs: {
    name: 'crawl_job_keep_hours',
    type: integer(2, 720).transform(hours => hours * HOUR_MS),
    default: defaultJobLimits.keepMs / HOUR_MS,
    flag: '<n>',
    text: 'hours after which the pages of such a crawl are deleted',
  },
})

/** The limits of callers without a key. */
export const keylessSettings = settingTable('keyless_', {
  perSecond: {
    type: integer(1),
    default: httpDefaults.keylessLimits.perSecond,
    flag: '<n>',
    text: 'requests per second of one client address without a key',
  },
  perHour: { type: integer(1), default: httpDefaults.keylessLimits.perHour, flag: '<n>', text: 'the same per hour' },
})

/** The settings of the HTTP server. Each becomes the {@link HttpSettings} of the same name. */
export const httpSettings = settingTable('', {
  baseUrl: {
    type: webUrl,
    flag: '<url>',
    text: 'public address of the server, such as https://search.example.com; its host name is one of the [names of the server](operations.md#names-of-the-server)',
  },
  hosts: {
    type: hostNames,
    flag: '<names>',
    text: 'further [names of the server](operations.md#names-of-the-server), without ports, separated by commas',
  },
  trustProxy: {
    type: proxies,
    unset: 'off',
    flag: '<on|off|addresses>',
    text: 'proxies whose `X-Forwarded-For` is trusted: on for the one in front, or addresses and networks separated by commas',
  },
  maxConnectionsPerAddress: {
    type: integer(1, 100_000),
    default: httpDefaults.maxConnectionsPerAddress,
    flag: '<n>',
    text: 'open connections of one client address, trusted proxies excepted; more are closed',
  },
  maxUnderWay: {
    type: integer(1, 100_000),
    default: httpDefaults.maxUnderWay,
    flag: '<n>',
    text: 'concurrent searches and fetches; further ones are [rejected](operations.md#overload)',
  },
  corsOrigins: {
    type: origins,
    unset: 'none',
    flag: '<origins>',
    text: 'web origins whose pages may call the API, separated by commas, or * for all',
  },
  compression: {
    type: boolean,
    default: true,
    flag: '',
    text: 'compress answers with gzip for clients that accept it',
  },
  console: {
    type: boolean,
    default: true,
    flag: '',
    text: 'serve [the console](console.md) at `/`, and the documents at `/docs`',
  },
  dialects: {
    type: dialectList,
    default: 'all',
    flag: '<names>',
    text: 'the [other search services](dialects.md) whose clients may search here, separated by commas, or all or none',
  },
  privateSearch: {
    type: boolean,
    default: false,
    flag: '',
    text: 'allow search, fetch and the tools of agents [only with a key](console.md#crawls-access-and-health) or after signing in',
  },
  publicMetrics: {
    name: 'metrics',
    type: boolean,
    default: false,
    flag: '',
    text: 'let anyone read [`/metrics`](operations.md#metrics)',
  },
  adminToken: {
    isSecret: true,
    type: z
      .string()
      .regex(/^[\x21-\x7e]{16,1000}$/, { error: 'must be 16 to 1,000 characters of printable ASCII without spaces' }),
    text: 'turns on [administration over TCP](accounts.md#administration-over-tcp) for callers with this token, at least 16 characters',
  },
} satisfies { [Option in keyof HttpSettings]: unknown })
