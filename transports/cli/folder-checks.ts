import { createService, type RequestChecks, type Service } from '../../service/index.ts'
import { type CommandContext, withData } from './command-context.ts'

/** Checks of requests that need the engine. The data folder is opened only if a check needs it. */
export function folderChecks(context: CommandContext): RequestChecks & Pick<Service, 'checkHistory'> {
  return {
    checkSearch: (request, call) =>
      withData(context, ({ engine, readLive }) => createService(engine, readLive).checkSearch(request, call)),
    checkFetch: request =>
      withData(context, ({ engine, readLive }) => createService(engine, readLive).checkFetch(request)),
    checkHistory: request =>
      withData(context, ({ engine, readLive }) => createService(engine, readLive).checkHistory(request)),
  }
}
