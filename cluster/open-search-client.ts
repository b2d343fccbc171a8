import type { ClientRequest, IncomingMessage } from 'node:http'
import { loadOptional } from '@asof/core/internal'
import type { Client, ClientOptions } from '@opensearch-project/opensearch'
import { clusterPackages } from './cluster-packages.ts'
import { SEARCH_MS } from './terms/term-index.ts'

type Connection = NonNullable<ClientOptions['Connection']>
type Request = Parameters<InstanceType<Connection>['request']>[0] & { timeout?: number }
type Answered = (error: Error | null, response: IncomingMessage | null) => void

/**
 * Makes a client of OpenSearch. Each of its requests ends: the package (3.9.0) gives up a request that is not answered, but would wait for
 * ever for the rest of an answer that has begun.
 *
 * @param search - the URLs of one or more nodes.
 * @throws ASOF_PACKAGE_MISSING
 */
export async function openSearchClient(search: string | readonly string[]): Promise<Client> {
  const { Client, Connection } = await loadOptional(clusterPackages, () => import('@opensearch-project/opensearch'))
  /** The rest of an answer has as much time as its beginning. If it is late, the request fails as if the connection was lost. */
  class EndingConnection extends Connection {
    override request(request: Request, answered: Answered): ClientRequest {
      return super.request(request, (error: Error | null, response: IncomingMessage | null) => {
        if (response && request.timeout !== undefined) {
          const late = setTimeout(() => response.destroy(), request.timeout)
          response.once('close', () => clearTimeout(late))
        }
        answered(error, response)
      })
    }
  }
  return new Client({
    nodes: [search].flat(),
    requestTimeout: SEARCH_MS,
    maxRetries: 1,
    Connection: EndingConnection as never,
  })
}
