/** Where the links of each host hold an address, and what kind of address it is. Links of other shapes name none. */

/**
 * `token`: the token. `either`: the token or a market of it. `market`: a pool or curve of it. Wallets are no kind: their links
 * are not listed.
 */
export type AddressKind = 'token' | 'either' | 'market'

export type LinkShape = Readonly<{
  /**
   * Segments of the path from its beginning: a word, `*` for anything, `<network>` for the network's name, `<address>` for the
   * address. What stands behind them does not matter.
   */
  path: readonly string[]
  /** The query parameter that holds the address, if the path does not. */
  query?: string
  /** The query parameter that names the network. */
  networkIn?: string
  kind: AddressKind
}>

const address = '<address>'
const network = '<network>'

const terminal: readonly LinkShape[] = [{ path: ['terminal'], query: 'address', networkIn: 'chainId', kind: 'token' }]
const search: readonly LinkShape[] = [{ path: ['search'], query: 'q', kind: 'token' }]

const shapesOfHost: Readonly<Record<string, readonly LinkShape[]>> = {
  'pump.fun': [
    { path: ['coin', address], kind: 'token' },
    { path: [address], kind: 'token' },
  ],
  'dexscreener.com': [{ path: [network, address], kind: 'either' }],
  'geckoterminal.com': [
    { path: [network, 'tokens', address], kind: 'token' },
    { path: [network, 'pools', address], kind: 'market' },
  ],
  'birdeye.so': [
    { path: ['token', address], networkIn: 'chain', kind: 'token' },
    { path: [network, 'token', address], kind: 'token' },
  ],
  // Its accounts are wallets, with few exceptions.
  'solscan.io': [{ path: ['token', address], kind: 'token' }],
  'gmgn.ai': [{ path: [network, 'token', address], kind: 'token' }],
  'photon-sol.tinyastro.io': [
    { path: ['*', 'lp', address], kind: 'either' },
    { path: ['*', 'r', '*', address], kind: 'token' },
  ],
  'bullx.io': terminal,
  'neo.bullx.io': terminal,
  'axiom.trade': [
    { path: ['meme', address], kind: 'market' },
    { path: ['t', address], kind: 'token' },
  ],
  'defined.fi': [{ path: [network, address], kind: 'token' }],
  'mevx.io': [{ path: [network, address], kind: 'token' }],
  'soulterminal.ai': [{ path: ['token', address], kind: 'token' }],
  'x.com': search,
  'twitter.com': search,
}

/** Explorers and terminals that are not listed: what stands behind this word is a token. */
const shapesOfOthers: readonly LinkShape[] = [{ path: ['token', address], kind: 'token' }]

/** `host`: in lower case, without www. */
export const shapesOf = (host: string): readonly LinkShape[] =>
  Object.hasOwn(shapesOfHost, host) ? (shapesOfHost[host] ?? []) : shapesOfOthers

export const chatHosts: ReadonlySet<string> = new Set(['t.me', 'telegram.me', 'telegram.dog'])

/** The parameters of a link that starts a bot or its app. */
export const startParameters = ['start', 'startapp', 'startgroup'] as const

/** What such a parameter begins with where its address is no token: wallets, and who called first. */
export const otherStarts: readonly string[] = ['pfdev', 'dev', 'wallet', 'call', 'twit']

/** What stands in a path where other links of the host have the network: the address behind it is a wallet. */
export const otherSections: ReadonlySet<string> = new Set(['wallet'])

/** Bots whose links hold a bare EVM address that is the pair. */
export const botsOfPairs: readonly string[] = ['rickburpbot']
