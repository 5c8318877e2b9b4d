/** The URL of a server. An IPv6 address is put in brackets. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
