/** Advice for the user when an address was refused (ASOF_ADDRESS_REFUSED). */
export const privateHint =
  'To fetch loopback and private addresses, use --allow-private. If a server holds the data folder, start the server with it.'
