/** `@asof/extract/processes`: what the threads of the engine share with the child processes of extraction. */
export { type Calls, ChannelClosed, type Handlers, RequestChannel, Transferred } from './request-channel.ts'
export { TaskFailure } from './task-failure.ts'
export { startWorker, workerFailure } from './worker-failure.ts'
export { BUNDLER_HINT, workerFile } from './worker-file.ts'
