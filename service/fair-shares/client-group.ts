/**
 * Returns the group of a client. Capacity is shared between groups first, then between the clients of a group. All /64
 * networks of an IPv6 /48 are one group, because a customer often has a whole /48. Any other client is a group of its
 * own.
 *
 * @param client - an organization, or a network as `clientNetwork` returns it.
 */
export function groupOf(client: string): string {
  return client.endsWith('::/64') ? `${client.split(':', 3).join(':')}::/48` : client
}

/** The calls of one client. */
export interface CallsOfClient {
  /** Undefined for calls without a client. */
  readonly group: string | undefined
  readonly calls: { readonly length: number }
}

/**
 * Returns the client whose newest call is refused to make room for a newcomer. It is the client with the most calls in
 * the group with the most calls; undefined if that client is the newcomer.
 */
export function greediest<Client extends CallsOfClient>(
  clients: Iterable<Client>,
  newcomer: Client,
): Client | undefined {
  const all = [...clients]
  const inGroup = new Map<string | undefined, number>()
  for (const { group, calls } of all) inGroup.set(group, (inGroup.get(group) ?? 0) + calls.length)
  let { group } = newcomer
  let most = (inGroup.get(group) ?? 0) + 1
  for (const [other, calls] of inGroup) if (other !== newcomer.group && calls > most) [group, most] = [other, calls]
  let chosen: Client | undefined
  let longest = group === newcomer.group ? newcomer.calls.length + 1 : 0
  for (const client of all)
    if (client !== newcomer && client.group === group && client.calls.length > longest) {
      chosen = client
      longest = client.calls.length
    }
  return chosen
}
