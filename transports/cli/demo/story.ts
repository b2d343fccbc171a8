import type { DataFolder } from '../../../service/data-folder/index.ts'
import { createService, parseRequest, searchRequest } from '../../../service/index.ts'
import type { CommandContext } from '../command-context.ts'
import { flagName } from '../flags.ts'
import { searchText } from '../output/result-text.ts'
import { fill } from '../output/wrapped-text.ts'
import type { LoadedDemo } from './load.ts'

interface Scene {
  saying: string
  request: { query: string; max_results: number } & Record<string, unknown>
}

const roadmapQuery = 'roadmap: what comes next'

function scenes({ beforeChangeAt }: LoadedDemo): Scene[] {
  return [
    {
      saying: 'One site: READMEs of packages about pools of worker threads',
      request: { query: 'pool of worker threads', site: 'npmjs.com', max_results: 3 },
    },
    {
      saying: 'A published window: notes on time from April to June 2025',
      request: {
        query: 'searching a cut in time',
        published_after: '2025-04-01',
        published_before: '2025-06-30',
        max_results: 3,
      },
    },
    {
      saying: 'The roadmap, as of now',
      request: { query: roadmapQuery, max_results: 1 },
    },
    {
      saying: 'The same question as of the moment before the website changed: another answer',
      request: { query: roadmapQuery, query_time: new Date(beforeChangeAt).toISOString(), max_results: 1 },
    },
  ]
}

/** Runs the searches of the demo and prints their results: one site, a publish window, and one query as of two moments. */
export async function tellStory(folder: DataFolder, demo: LoadedDemo, { print, color }: CommandContext): Promise<void> {
  const service = createService(folder.engine, folder.readLive)
  for (const { saying, request } of scenes(demo)) {
    const { body } = await service.answer('search', parseRequest(searchRequest, request))
    const { query, max_results: _, ...filters } = request
    const flags = Object.entries(filters).map(([name, value]) => `${flagName(name)} ${value}`)
    const command = fill([`$ asof search '${query}'`, ...flags], ' ', '', '    ')
    print(`\n${saying}\n\n${command}\n\n${searchText(body, color)}`)
  }
}

/** Commands to copy, for the server at `url`. */
export function nextSteps(url: string, { siteUrl, beforeChangeAt }: LoadedDemo): string {
  const call = `curl -s -H 'X-Service-Title: demo'`
  const then = new Date(beforeChangeAt).toISOString()
  return `
Open ${url} in a browser: search there, and drag the line through the history of the index.

Or, in another terminal:

  ${call} -H 'Content-Type: application/json' ${url}/v1/search/public -d '{"query":"fast web framework","max_results":3}'
  ${call} -G ${url}/v1/search/public --data-urlencode 'query=${roadmapQuery}' -d query_time=${then}
  ${call} -G ${url}/v1/fetch/public --data-urlencode 'url=${siteUrl}roadmap'
  curl -s ${url}/openapi.json
`
}
