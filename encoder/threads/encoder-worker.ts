/** A thread that computes: one task after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { ForwardPass } from '../forward/forward-pass.ts'
import { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { Task, TaskResult, ThreadData } from './messages.ts'
import { wireError } from './wire-error.ts'

const { loaded, thread } = workerData as ThreadData
const { model, memory, use } = loaded
const tokenizer = new Tokenizer(loaded.tokenizer.slice())
const pass = new ForwardPass(model, memory, thread)

parentPort?.on('message', (task: Task) => {
  const result = run(task)
  parentPort?.postMessage(result, 'numbers' in result ? [result.numbers.buffer as ArrayBuffer] : [])
})

function run(task: Task): TaskResult {
  try {
    if (task.kind === 'embed') return { numbers: pass.embed(tokenizer.encode(task.text, model.maxTokens), use.pooling) }
    return { numbers: pass.scores(tokenizer.encodePair(task.query, task.text, model.maxTokens)) }
  } catch (thrown) {
    return { error: wireError(thrown) }
  }
}
