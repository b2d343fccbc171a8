import { useEffect, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import type { RunningCrawl } from '../api/wire.ts'
import { type CrawlProgress, CrawlSpeeds } from './crawl-speeds.ts'

/** What runs, as the events of the server say. */
export interface RunningCrawls {
  /** Undefined until the first event. */
  running: readonly CrawlProgress[] | undefined
  /** False if the server sends no more events. */
  isLive: boolean
  reconnect: () => void
}

/** Listens to the events of running crawls. The browser connects again by itself, unless the server refuses. */
export function useRunningCrawls(): RunningCrawls {
  const [running, setRunning] = useState<readonly CrawlProgress[]>()
  const [isLive, setLive] = useState(true)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const events = admin.crawlEvents()
    const speeds = new CrawlSpeeds()
    let last: readonly RunningCrawl[] = []
    const show = () => setRunning(speeds.add(last, performance.now()))
    events.addEventListener('running', ({ data }: MessageEvent<string>) => {
      last = (JSON.parse(data) as { running: RunningCrawl[] }).running
      setLive(true)
      show()
    })
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) setLive(false)
    }
    // No event comes while nothing changes, and then the speed goes down.
    const timer = setInterval(() => last.length > 0 && show(), 1_000)
    return () => {
      clearInterval(timer)
      events.close()
    }
  }, [turn])
  return { running, isLive, reconnect: () => setTurn(turn + 1) }
}
