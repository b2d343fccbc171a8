import { type CallService, createService, type Service } from '../../service/index.ts'
import { type CommandContext, withData } from './command-context.ts'

/** Returns the calls of the data folder, for commands that make one call. Each call opens the folder and closes it again. */
export function folderCalls(context: CommandContext): CallService {
  const withService = <T>(work: (service: Service) => Promise<T>) =>
    withData(context, ({ engine, readLive, reader }) => work(createService(engine, readLive, { reader })))
  return {
    answer: (name, request, call) => withService(service => service.answer(name, request, call)),
    check: (name, request, call) => withService(service => service.check(name, request, call)),
  }
}
