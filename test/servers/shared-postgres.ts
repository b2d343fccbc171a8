import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, postgresBin, startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL that answers with that of the PostgreSQL which all files share. Undefined if this machine has no PostgreSQL. */
    sharedPostgres: string | undefined
  }
}

/** The files that run at once open more connections than PostgreSQL's default of 100. */
const CONNECTIONS = 300

/** One PostgreSQL for all files of a run. It is started when the first of them asks for its URL, so that other files do not wait for it. */
export default async function sharePostgres(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('sharedPostgres', undefined)
  if (!postgresBin() || process.env.ASOF_TEST_POSTGRES) return undefined
  let started: Promise<PostgresServer> | undefined
  const offer = createServer((_, response) => {
    started ??= startPostgres(`max_connections=${CONNECTIONS}`)
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(offer, 'listening')
  project.provide('sharedPostgres', `http://127.0.0.1:${(offer.address() as AddressInfo).port}`)
  return async () => {
    offer.close()
    await (await started)?.stop()
  }
}
