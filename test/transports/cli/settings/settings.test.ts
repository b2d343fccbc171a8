import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Flags } from '../../../../transports/cli/flags.ts'
import { addSettingOptions } from '../../../../transports/cli/settings/setting.ts'
import {
  allSettings,
  dataDir,
  effectiveSettings,
  loadSettings,
  misspelledVariables,
} from '../../../../transports/cli/settings/settings.ts'

describe('settings', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-settings-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))
  const file = (values: unknown) =>
    writeFile(path.join(dir, 'asof.json'), typeof values === 'string' ? values : JSON.stringify(values))

  it('have defaults: port 8787 on loopback, no private addresses', async () => {
    expect(await loadSettings(dir, {}, {})).toEqual({
      host: '127.0.0.1',
      port: 8787,
      allowPrivate: false,
      storeLive: false,
      liveRobots: false,
      cacheBytes: 256 * 2 ** 20,
      vectorBytes: 384 * 2 ** 20,
      searchTimeoutMs: 5_000,
      crawlJobs: { running: 2, pages: 1_000, pagesPerDay: 10_000, keepMs: 24 * 3_600_000 },
      storefrontWording: false,
      http: {
        mcp: { feedback: true, verify: false, passages: false },
        keylessLimits: { perSecond: 10, perHour: 1_000 },
        maxConnectionsPerAddress: 256,
        maxUnderWay: 256,
        compression: true,
        console: true,
        dialects: ['exa', 'tavily', 'firecrawl', 'searxng', 'perplexity', 'parallel', 'brave', 'r'],
        privateSearch: false,
        publicMetrics: false,
      },
    })
  })

  it('are taken from the flag, or else the environment, or else the file', async () => {
    await file({ port: 1, host: 'from-file', base_url: 'https://file.example' })
    const settings = await loadSettings(dir, { port: '3' }, { ASOF_PORT: '2', ASOF_HOST: 'from-env-16-chars' })
    expect(settings).toMatchObject({ port: 3, host: 'from-env-16-chars', http: { baseUrl: 'https://file.example' } })
  })

  it('have a seal in the past, and nothing beside it that the sealed index contradicts', async () => {
    expect(await loadSettings(dir, { sealedAt: '2024-01-31' }, {})).toMatchObject({ sealedAt: Date.UTC(2024, 0, 31) })
    const bad = [{ sealedAt: 'soon' }, { sealedAt: '2999-01-01' }, { sealedAt: '2024-01-31', retain: '90d' }]
    for (const flags of bad) await expect(loadSettings(dir, flags, {})).rejects.toMatchObject({ name: 'UsageError' })
  })

  it('name a cluster by its URLs, with passwords only from the environment or the file', async () => {
    const env = {
      ASOF_CLUSTER_SEARCH: 'http://a:9200, http://b:9200',
      ASOF_CLUSTER_DATABASE: 'postgres://me:secret@db/x',
    }
    expect((await loadSettings(dir, {}, env)).cluster).toBeUndefined()
    expect((await loadSettings(dir, { cluster: true }, env)).cluster).toEqual({
      search: ['http://a:9200', 'http://b:9200'],
      database: 'postgres://me:secret@db/x',
      name: 'asof',
      shards: 1,
      replicas: 0,
    })
    const bad: [flags: object, message: RegExp][] = [
      [
        { cluster: true, clusterSearch: 'http://a:9200' },
        /^a cluster needs cluster_database \(ASOF_CLUSTER_DATABASE\)/,
      ],
      [
        { clusterDatabase: 'postgres://me:secret@db/x' },
        /^--cluster-database: other users .* set ASOF_CLUSTER_DATABASE/,
      ],
      [{ clusterSearch: 'http://a,http://me:secret@b' }, /^--cluster-search: other users/],
      [{ clusterSearch: 'me:secret@b' }, /^--cluster-search/],
      [{ clusterName: 'Secret' }, /^--cluster-name: must be lower-case/],
      [{ clusterObjects: 's3://key:secret@bucket' }, /^--cluster-objects: must be a URL such as s3:/],
      [{ clusterObjects: 'file://host/secret' }, /^--cluster-objects: must be a URL such as s3:/],
    ]
    for (const [flags, message] of bad) {
      const failure = await loadSettings(dir, { ...flags }, {}).catch((error: Error) => error)
      expect(failure).toMatchObject({ name: 'UsageError', message: expect.stringMatching(message) })
      expect((failure as Error).message).not.toContain('secret')
    }
  })

  it.each([
    ['prot', 'port'],
    ['keyless_persecond', 'keyless_per_second'],
    ['basUrl', 'base_url'],
  ])('rejects the unknown key %s of the file and suggests %s', async (key, nearest) => {
    await file({ [key]: 1 })
    await expect(loadSettings(dir, {}, {})).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path.join(dir, 'asof.json')}: ${key}: unknown setting; did you mean ${nearest}?`,
    })
  })

  it('warn about variables that look misspelled, and about no others', () => {
    expect(misspelledVariables({ ASOF_PROT: '1', ASOF_ADMIN_TOKN: 'x', ASOF_PORT: '1', ASOF_DATA: 'x' })).toEqual([
      'ASOF_PROT is not a variable of asof; did you mean ASOF_PORT?',
      'ASOF_ADMIN_TOKN is not a variable of asof; did you mean ASOF_ADMIN_TOKEN?',
    ])
    expect(misspelledVariables({ ASOF_TEST_SEED: '1', ASOF_SOMETHING_ELSE: '1', PROT: '1', ASOF_TRACE: '1' })).toEqual(
      [],
    )
  })

  it.each([
    ['1', true],
    ['true', true],
    ['on', true],
    ['0', false],
    ['false', false],
    ['off', false],
  ])('read the value %s of a boolean variable as %s', async (value, expected) => {
    expect((await loadSettings(dir, {}, { ASOF_ALLOW_PRIVATE: value })).allowPrivate).toBe(expected)
  })

  it('set the retention of superseded captures, from the file, the environment or the flag', async () => {
    await file({ retain: '2y' })
    expect((await loadSettings(dir, {}, {})).retain).toBe('2y')
    expect((await loadSettings(dir, {}, { ASOF_RETAIN: '6mo' })).retain).toBe('6mo')
    expect((await loadSettings(dir, { retain: '90d' }, { ASOF_RETAIN: '6mo' })).retain).toBe('90d')
    await expect(loadSettings(dir, {}, { ASOF_RETAIN: '90' })).rejects.toThrow('ASOF_RETAIN: must be a duration')
  })

  it('set the memory of the index caches, in MiB', async () => {
    expect((await loadSettings(dir, {}, {})).cacheBytes).toBe(256 * 1024 * 1024)
    expect((await loadSettings(dir, {}, { ASOF_CACHE_MB: '512' })).cacheBytes).toBe(512 * 1024 * 1024)
    await expect(loadSettings(dir, { cacheMb: '0' }, {})).rejects.toThrow('--cache-mb: ')
  })

  it('set the memory of vectors, in MiB', async () => {
    expect((await loadSettings(dir, {}, {})).vectorBytes).toBe(384 * 1024 * 1024)
    expect((await loadSettings(dir, {}, { ASOF_VECTOR_MB: '0' })).vectorBytes).toBe(0)
    await expect(loadSettings(dir, { vectorMb: '3073' }, {})).rejects.toThrow('--vector-mb: ')
  })

  it('set the processor time of a search, in milliseconds', async () => {
    expect((await loadSettings(dir, {}, {})).searchTimeoutMs).toBe(5_000)
    expect((await loadSettings(dir, {}, { ASOF_SEARCH_TIMEOUT_MS: '750' })).searchTimeoutMs).toBe(750)
    await expect(loadSettings(dir, { searchTimeoutMs: '0' }, {})).rejects.toThrow('--search-timeout-ms: ')
  })

  it('set the host names of the server and the number of connections of an address', async () => {
    await file({ hosts: ['asof'], max_connections_per_address: 8 })
    expect((await loadSettings(dir, {}, {})).http).toMatchObject({ hosts: ['asof'], maxConnectionsPerAddress: 8 })
    const env = { ASOF_HOSTS: 'a.example, b.example', ASOF_MAX_CONNECTIONS_PER_ADDRESS: '9' }
    expect((await loadSettings(dir, {}, env)).http).toMatchObject({
      hosts: ['a.example', 'b.example'],
      maxConnectionsPerAddress: 9,
    })
    await expect(loadSettings(dir, { hosts: 'Name:80' }, {})).rejects.toThrow(/^--hosts/)
    await expect(loadSettings(dir, { maxConnectionsPerAddress: '0' }, {})).rejects.toThrow(/^--max-connections/)
  })

  it('take the admin token from the environment or the file, and check its length', async () => {
    await file({ admin_token: 'from-file-16-chars' })
    expect((await loadSettings(dir, {}, {})).http.adminToken).toBe('from-file-16-chars')
    expect((await loadSettings(dir, {}, { ASOF_ADMIN_TOKEN: 'from-env-16-chars' })).http.adminToken).toBe(
      'from-env-16-chars',
    )
    await expect(loadSettings(dir, {}, { ASOF_ADMIN_TOKEN: 'a b' })).rejects.toThrow(/^ASOF_ADMIN_TOKEN: must be/)
    await expect(loadSettings(dir, {}, { ASOF_ADMIN_TOKEN: 'fifteen-letters' })).rejects.toThrow(/16 to 1,000/)
  })

  it('configure a language model with or without an API key', async () => {
    await file({ llm_url: 'http://127.0.0.1:11434/v1', llm_model: 'small', llm_page_chars: 8_000 })
    expect((await loadSettings(dir, {}, {})).llm).toEqual({
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: 'small',
      pageChars: 8_000,
    })
    const settings = await loadSettings(dir, { llmModel: 'large' }, { ASOF_LLM_API_KEY: 'secret' })
    expect(settings.llm).toMatchObject({ model: 'large', apiKey: 'secret' })
  })

  it.each([
    [{ ASOF_LLM_MODEL: 'small' }, 'ASOF_LLM_URL'],
    [{ ASOF_LLM_API_KEY: 'secret' }, 'ASOF_LLM_URL'],
    [{ ASOF_LLM_URL: 'http://127.0.0.1/v1' }, 'ASOF_LLM_MODEL'],
    [{ ASOF_LLM_URL: 'http://me:secret@127.0.0.1/v1', ASOF_LLM_MODEL: 'small' }, 'ASOF_LLM_URL: must not contain'],
    [{ ASOF_LLM_URL: 'file:///v1', ASOF_LLM_MODEL: 'small' }, 'ASOF_LLM_URL: must be'],
  ])('reject the language model of %j without quoting a secret', async (env, message) => {
    const failure = await loadSettings(dir, {}, env).catch(String)
    expect(failure).toContain(message)
    expect(failure).not.toContain('secret')
  })

  it('configure the models for embeddings and for re-ranking', async () => {
    await file({ embed_url: 'http://127.0.0.1:11434/v1', embed_model: 'small', embed_query_prefix: 'query: ' })
    const env = {
      ASOF_EMBED_MODEL: 'large',
      ASOF_EMBED_API_KEY: 'secret',
      ASOF_EMBED_DIMENSIONS: '256',
      ASOF_EMBED_LANGUAGES: 'en, de',
      ASOF_RERANK_URL: 'http://127.0.0.1:9/v1',
      ASOF_RERANK_MODEL: 'reader',
    }
    expect(await loadSettings(dir, {}, env)).toMatchObject({
      embeddings: {
        baseUrl: 'http://127.0.0.1:11434/v1',
        model: 'large',
        apiKey: 'secret',
        dimensions: 256,
        languages: ['en', 'de'],
        queryPrefix: 'query: ',
      },
      reranking: { baseUrl: 'http://127.0.0.1:9/v1', model: 'reader' },
    })
  })

  it('configure an embeddings model in this process', async () => {
    await file({ embed_model: 'local:minilm', models: '/srv/models' })
    expect(await loadSettings(dir, {}, {})).toMatchObject({
      embeddings: { local: 'minilm', folder: '/srv/models', threads: 1 },
      modelsFolder: '/srv/models',
    })
    const env = { ASOF_EMBED_MODEL: 'local:own', ASOF_EMBED_THREADS: '2', ASOF_EMBED_LANGUAGES: 'all' }
    expect(await loadSettings(dir, { models: './models' }, env)).toMatchObject({
      embeddings: { local: 'own', folder: './models', threads: 2, languages: true },
      modelsFolder: './models',
    })
  })

  it('configure an embeddings model that onnxruntime runs', async () => {
    const env = { ASOF_EMBED_MODEL: 'onnx:minilm', ASOF_EMBED_THREADS: '2' }
    expect(await loadSettings(dir, {}, env)).toMatchObject({ embeddings: { onnx: 'minilm', threads: 2 } })
  })

  it('configure a reranking model in this process', async () => {
    await file({ rerank_model: 'local:reader', models: '/srv/models' })
    expect(await loadSettings(dir, {}, { ASOF_RERANK_THREADS: '3' })).toMatchObject({
      reranking: { local: 'reader', folder: '/srv/models', threads: 3 },
    })
  })

  it.each([
    [{ ASOF_EMBED_MODEL: 'small' }, 'ASOF_EMBED_URL'],
    [{ ASOF_EMBED_MODEL: 'minilm' }, 'such as local:minilm'],
    [
      { ASOF_EMBED_MODEL: 'local:minilm', ASOF_EMBED_URL: 'http://127.0.0.1/v1' },
      'for which embed_url (ASOF_EMBED_URL)',
    ],
    [{ ASOF_EMBED_MODEL: 'local:minilm', ASOF_EMBED_API_KEY: 'secret' }, 'ASOF_EMBED_API_KEY'],
    [{ ASOF_EMBED_MODEL: 'local:minilm', ASOF_EMBED_THREADS: '0' }, 'ASOF_EMBED_THREADS'],
    [{ ASOF_EMBED_MODEL: 'onnx:minilm', ASOF_EMBED_API_KEY: 'secret' }, 'ASOF_EMBED_API_KEY'],
    [{ ASOF_EMBED_API_KEY: 'secret' }, 'ASOF_EMBED_URL'],
    [{ ASOF_EMBED_DIMENSIONS: '256' }, 'ASOF_EMBED_URL'],
    [{ ASOF_EMBED_LANGUAGES: 'en' }, 'ASOF_EMBED_URL'],
    [{ ASOF_EMBED_LANGUAGES: 'English' }, 'ASOF_EMBED_LANGUAGES[0]: must be a language code such as en'],
    [{ ASOF_EMBED_URL: 'http://127.0.0.1/v1' }, 'ASOF_EMBED_MODEL'],
    [{ ASOF_EMBED_URL: 'http://me:secret@127.0.0.1/v1', ASOF_EMBED_MODEL: 'm' }, 'ASOF_EMBED_URL: must not contain'],
    [{ ASOF_RERANK_MODEL: 'reader' }, 'ASOF_RERANK_URL'],
    [{ ASOF_RERANK_API_KEY: 'secret' }, 'ASOF_RERANK_URL'],
    [{ ASOF_RERANK_MODEL: 'local:reader', ASOF_RERANK_API_KEY: 'secret' }, 'for which rerank_api_key'],
    [{ ASOF_RERANK_MODEL: 'local:reader', ASOF_RERANK_THREADS: '0' }, 'ASOF_RERANK_THREADS'],
    [{ ASOF_RERANK_URL: 'http://127.0.0.1/v1' }, 'ASOF_RERANK_MODEL'],
  ])('reject the model of %j without quoting a secret', async (env, message) => {
    const failure = await loadSettings(dir, {}, env).catch(String)
    expect(failure).toContain(message)
    expect(failure).not.toContain('secret')
  })

  it('configure /mcp', async () => {
    const oauth = { ASOF_BASE_URL: 'https://search.example', ASOF_MCP_OAUTH_ISSUER: 'https://id.example' }
    const env = { ...oauth, ASOF_MCP_FEEDBACK: 'on', ASOF_MCP_VERIFY: 'on', ASOF_MCP_OAUTH_REQUIRED: '1' }
    expect((await loadSettings(dir, {}, env)).http.mcp).toEqual({
      feedback: true,
      verify: true,
      passages: false,
      oauth: { issuer: 'https://id.example', required: true },
    })
    expect((await loadSettings(dir, { mcp: 'off' }, env)).http.mcp).toBe(false)
  })

  it.each([
    [{ ASOF_MCP_OAUTH_CLAIM: 'org' }, 'mcp_oauth_claim is set without mcp_oauth_issuer'],
    [{ ASOF_MCP_OAUTH_ISSUER: 'https://id.example' }, 'without base_url'],
    [{ ASOF_MCP_OAUTH_ISSUER: 'id.example' }, 'ASOF_MCP_OAUTH_ISSUER: must be an http or https URL'],
    [{ ASOF_HOSTS: 'asof:8787' }, 'ASOF_HOSTS[0]: must be a host name'],
  ])('reject the /mcp settings of %j', async (env, message) => {
    expect(await loadSettings(dir, {}, env).catch(String)).toContain(message)
  })

  it('configure web origins, limits, compression and the log', async () => {
    const env = {
      ASOF_CORS_ORIGINS: 'https://a.example, http://localhost:3000',
      ASOF_METRICS: 'on',
      ASOF_LOG_LEVEL: 'debug',
    }
    await file({ cors_origins: ['*'], max_under_way: 8, compression: false, log_level: 'error' })
    expect(await loadSettings(dir, {}, {})).toMatchObject({
      logLevel: 'error',
      http: { corsOrigins: ['*'], maxUnderWay: 8, compression: false },
    })
    expect(await loadSettings(dir, { maxUnderWay: '9', compression: 'on' }, env)).toMatchObject({
      logLevel: 'debug',
      http: {
        corsOrigins: ['https://a.example', 'http://localhost:3000'],
        publicMetrics: true,
        maxUnderWay: 9,
        compression: true,
      },
    })
    for (const origin of ['a.example', 'https://a.example/', 'https://a.example/path', 'null']) {
      await expect(loadSettings(dir, {}, { ASOF_CORS_ORIGINS: origin })).rejects.toThrow(
        /^ASOF_CORS_ORIGINS\[0\]: must be a web origin/,
      )
    }
    await expect(loadSettings(dir, { logLevel: 'loud' }, {})).rejects.toThrow(/^--log-level: must be one of silent/)
    await expect(loadSettings(dir, { maxUnderWay: '0' }, {})).rejects.toThrow(/^--max-under-way: /)
  })

  it('offer some dialects of other search services, or none', async () => {
    const offered = async (ASOF_DIALECTS: string) => (await loadSettings(dir, {}, { ASOF_DIALECTS })).http.dialects
    expect([await offered('tavily, exa'), await offered('none')]).toEqual([['tavily', 'exa'], []])
    expect(await offered('all')).toEqual([
      'exa',
      'tavily',
      'firecrawl',
      'searxng',
      'perplexity',
      'parallel',
      'brave',
      'r',
    ])
    await expect(offered('bing')).rejects.toThrow(
      /^ASOF_DIALECTS\[0\]: must be all, none, or some of exa, tavily, firecrawl, searxng, perplexity/,
    )
  })

  it('trust proxies by address, or the one in front', async () => {
    const { http } = await loadSettings(dir, {}, { ASOF_TRUST_PROXY: '10.0.0.1, 10.0.1.0/24' })
    expect(http.trustProxy).toEqual(['10.0.0.1', '10.0.1.0/24'])
    expect((await loadSettings(dir, {}, { ASOF_TRUST_PROXY: 'on' })).http.trustProxy).toBe(true)
    await file({ trust_proxy: true })
    expect((await loadSettings(dir, {}, { ASOF_TRUST_PROXY: 'off' })).http.trustProxy).toBeUndefined()
  })

  it('name the file and the key of an unknown setting', async () => {
    await file({ port: 1, prot: 2 })
    await expect(loadSettings(dir, {}, {})).rejects.toThrow(/asof\.json: prot: unknown setting/)
  })

  it('name a bad value by its flag, variable or key', async () => {
    await expect(loadSettings(dir, { port: '70000' }, {})).rejects.toThrow(/^--port: /)
    await expect(loadSettings(dir, { baseUrl: 'nowhere' }, {})).rejects.toThrow(/^--base-url: /)
    await expect(loadSettings(dir, {}, { ASOF_ALLOW_PRIVATE: 'maybe' })).rejects.toThrow(/^ASOF_ALLOW_PRIVATE: /)
    for (const value of ['foo', '10.0.0.0/8, foo', '10.0.0.0/40']) {
      await expect(loadSettings(dir, {}, { ASOF_TRUST_PROXY: value })).rejects.toThrow(
        /^ASOF_TRUST_PROXY\[\d\]: must be an IP address/,
      )
    }
    await file({ keyless_per_hour: 0 })
    await expect(loadSettings(dir, {}, {})).rejects.toThrow(/asof\.json: keyless_per_hour: /)
    await file('{"port": 1,\n "host" }')
    await expect(loadSettings(dir, {}, {})).rejects.toThrow(
      /asof\.json is not valid JSON: line 2, column 9: expected a colon/,
    )
  })

  it('reject a data folder that is a file', async () => {
    await file({})
    await expect(loadSettings(path.join(dir, 'asof.json'), {}, {})).rejects.toThrow(/asof\.json is not a folder/)
  })

  it('take the data folder from the flag, the environment or the default', () => {
    expect(dataDir({ data: '/a' }, { ASOF_DATA: '/b' })).toBe('/a')
    expect(dataDir({}, { ASOF_DATA: '/b' })).toBe('/b')
    expect(dataDir({}, {})).toBe(path.resolve('data'))
    expect(dataDir({}, {}, 'data/demo')).toBe(path.resolve('data/demo'))
  })
})

describe('the settings in effect', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-settings-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('say where each value was written; a flag wins over a variable, and a variable over the file', async () => {
    await writeFile(
      path.join(dir, 'asof.json'),
      JSON.stringify({ port: 1, host: 'a.example', cache_mb: 64, console: false }),
    )
    const settings = await effectiveSettings(
      dir,
      { port: '3', metrics: true },
      { ASOF_PORT: '2', ASOF_HOST: 'b.example' },
    )
    const byName = Object.fromEntries(settings.map(({ name, value, from }) => [name, [value, from]]))
    expect(byName).toMatchObject({
      port: ['3', 'flag'],
      metrics: [true, 'flag'],
      host: ['b.example', 'environment'],
      cache_mb: [64, 'file'],
      console: [false, 'file'],
      compression: [true, 'default'],
      base_url: [undefined, 'default'],
    })
  })

  it('show no secret and no password', async () => {
    await writeFile(path.join(dir, 'asof.json'), JSON.stringify({ admin_token: 'correct-horse-battery' }))
    const env = {
      ASOF_LLM_API_KEY: 'sk-key',
      ASOF_LLM_URL: 'http://127.0.0.1:1/v1',
      ASOF_LLM_MODEL: 'm',
      ASOF_DATABASE: 'postgres://me:hunter2@db/x',
    }
    const shown = JSON.stringify(await effectiveSettings(dir, {}, env))
    for (const secret of ['correct-horse-battery', 'sk-key', 'hunter2']) expect(shown).not.toContain(secret)
    expect(shown).toContain('postgres://me:***@db/x')
    // Every setting whose text says that it is a key, a token or a secret is one.
    const named = allSettings.filter(({ name }) =>
      /(?:token|api_key|secret|secret_key|private_key|upstream_key)$/.test(name),
    )
    expect(named.filter(({ isSecret }) => !isSecret).map(({ name }) => name)).toEqual([])
    expect(named.length).toBeGreaterThan(6)
  })

  it('are refused as the settings themselves are', async () => {
    await expect(effectiveSettings(dir, {}, { ASOF_PORT: 'x' })).rejects.toThrow('ASOF_PORT')
  })

  it('are turned on and off by switches', async () => {
    const parsed = async (...args: string[]) => {
      let flags: Flags = {}
      const command = addSettingOptions(new Command(), ...allSettings.filter(({ flag }) => flag === ''))
      await command
        .action((given: Flags) => {
          flags = given
        })
        .parseAsync(args, { from: 'user' })
      return loadSettings(dir, flags, { ASOF_CONSOLE: 'off', ASOF_METRICS: 'on' })
    }
    expect((await parsed()).http).toMatchObject({ console: false, publicMetrics: true })
    expect((await parsed('--console', '--no-metrics')).http).toMatchObject({ console: true, publicMetrics: false })
    expect((await parsed('--no-mcp', '--no-compression')).http).toMatchObject({ mcp: false, compression: false })
  })
})
