import PQueue from 'p-queue'
import { fetchFailures, type ServiceError, toServiceError } from '../../../../service/index.ts'

/** Pages that one request reads at a time. */
const AT_A_TIME = 4

/** A URL of a request, with what was read of its page, or why nothing was. */
export type ReadUrl<Page> =
  | { url: string; page: Page; failure?: undefined }
  | { url: string; page?: undefined; failure: ServiceError }

/**
 * Reads the pages of a request that has several URLs. A page that cannot be read does not fail the others.
 *
 * @param field - the name of the field that has the URLs.
 * @throws ServiceError - nothing was read, and not because of the pages: for example the organization has no credits.
 */
export async function readEach<Page>(
  urls: readonly string[],
  field: string,
  read: (url: string) => Promise<Page>,
): Promise<ReadUrl<Page>[]> {
  const queue = new PQueue({ concurrency: AT_A_TIME })
  const reads = await queue.addAll(
    urls.map(url => async (): Promise<ReadUrl<Page>> => {
      try {
        return { url, page: await read(url) }
      } catch (failure) {
        return { url, failure: toServiceError(failure) }
      }
    }),
  )
  const isOfPage = ({ kind, details = [] }: ServiceError) =>
    fetchFailures.includes(kind) || (kind === 'invalid_request' && details.every(({ path }) => path === field))
  const other = reads.find(({ failure }) => failure && !isOfPage(failure))
  // If a page was read, it is paid for, and so it is answered.
  if (other?.failure && reads.every(({ failure }) => failure)) throw other.failure
  return reads
}
