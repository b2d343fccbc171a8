import { createService, type Service } from '../../service/index.ts'
import { type CommandContext, withData } from './command-context.ts'

type Uses = 'search' | 'fetch' | 'history' | 'fields' | 'verify' | 'checkSearch' | 'checkFetch' | 'checkHistory'

/** Returns the service of the data folder, for commands that make one call. Each call opens the folder and closes it again. */
export function folderService(context: CommandContext): Pick<Service, Uses> {
  const withService = <T>(work: (service: Service) => Promise<T>) =>
    withData(context, ({ engine, readLive, reader }) => work(createService(engine, readLive, { reader })))
  return {
    search: (request, call) => withService(service => service.search(request, call)),
    fetch: (request, call) => withService(service => service.fetch(request, call)),
    history: (request, call) => withService(service => service.history(request, call)),
    fields: (request, call) => withService(service => service.fields(request, call)),
    verify: (request, call) => withService(service => service.verify(request, call)),
    checkSearch: (request, call) => withService(service => service.checkSearch(request, call)),
    checkFetch: request => withService(service => service.checkFetch(request)),
    checkHistory: request => withService(service => service.checkHistory(request)),
  }
}
