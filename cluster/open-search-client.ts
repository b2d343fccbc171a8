import type { ClientRequest, IncomingMessage } from 'node:http'
import { loadOptional } from '@asof/extract/errors'
import type { Client, ClientOptions } from '@opensearch-project/opensearch'
import { clusterPackages } from './cluster-packages.ts'

/** Time limit of a request to OpenSearch, ms. After it the request is tried once more, perhaps on another node. */
const SEARCH_MS = 10_000

type Connection = NonNullable<ClientOptions['Connection']>
type Request = Parameters<InstanceType<Connection>['request']>[0] & { timeout?: number }
type Callback = (error: Error | null, response: IncomingMessage | null) => void

/**
 * Makes a client of OpenSearch whose requests all have a time limit. The package (3.9.0) limits only the time until a response begins. If
 * OpenSearch stopped in the middle of a response, the package would wait forever.
 *
 * @param search - the URLs of one or more nodes.
 * @throws ASOF_PACKAGE_MISSING
 */
export async function openSearchClient(search: string | readonly string[]): Promise<Client> {
  const { Client, Connection } = await loadOptional(clusterPackages, () => import('@opensearch-project/opensearch'))
  /** Gives the rest of a response as much time as its beginning. If the rest is late, the request fails as if the connection were lost. */
  class LimitedConnection extends Connection {
    override request(request: Request, callback: Callback): ClientRequest {
      return super.request(request, (error: Error | null, response: IncomingMessage | null) => {
        if (response && request.timeout !== undefined) {
          const late = setTimeout(() => response.destroy(), request.timeout)
          response.once('close', () => clearTimeout(late))
        }
        callback(error, response)
      })
    }
  }
  return new Client({
    nodes: [search].flat(),
    requestTimeout: SEARCH_MS,
    maxRetries: 1,
    Connection: LimitedConnection,
  })
}
