/**
 * The turns of hosts that several crawlers share: one request at a time to each host, and the pause after it, by all of
 * them together.
 */
export interface HostTurns {
  /**
   * Takes the turn of a host, unless the host is in a pause or another crawler has its turn.
   *
   * @param pauseMs - pause that follows even if this crawler dies before {@link end}, counted from now.
   * @returns 0 if the caller may make a request now; otherwise after how long to ask again, ms.
   */
  take(host: string, pauseMs: number): Promise<number>
  /** Ends a turn. The host gets no request for `pauseMs`. */
  end(host: string, pauseMs: number): Promise<void>
  /** Lets no crawler send a request to a host for `waitMs`. */
  backOff(host: string, waitMs: number): Promise<void>
}
