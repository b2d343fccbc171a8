/**
 * Returns a function that kills this process if a step is the given one, and makes it die before or after it sends a
 * transaction (`before sending`, `after sending`).
 *
 * @param first - the step until the parent process sends another one; default: none
 */
export function dieAt(first?: string): (at: string) => void {
  let step = first
  process.on('message', next => {
    step = String(next)
    process.send?.('ready')
  })
  const die = (at: string) => {
    if (at === step) process.kill(process.pid, 'SIGKILL')
  }
  const realFetch = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    if (!String(init?.body).includes('eth_sendRawTransaction')) return await realFetch(input, init)
    die('before sending')
    const answer = await realFetch(input, init)
    die('after sending')
    return answer
  }
  return die
}
